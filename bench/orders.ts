import { type ApiAccess, createExport, createProject, type ExportRequest, readStatus } from "../dev/api.ts";
import { DAY_MS, isoFromMs } from "../src/domain/shared/time.ts";

/** Days of the empty exports. */
const EMPTY_DAYS = [1, 100, 10_000] as const;

/** Days with rows of the wide export; each is an export run that works. */
const WIDE_DAYS = 100;

/** Exports ordered while the wide one works; with it and the others fewer than the 1,000 that may be open [LIM-7]. */
const ORDERS = 900;

/** Concurrent orders. */
const CONCURRENCY = 5;

const POLL_MS = 10;

/** Milliseconds. `created`: of the answer; `completed`: until the empty export is COMPLETED. */
export interface OrderTimes {
  readonly empty: readonly { readonly days: number; readonly created: number; readonly completed: number }[];
  /** Of each order while an export of many days with rows works. */
  readonly orders: readonly number[];
}

/** Measures how fast exports are ordered: of any range without rows, and while another export works. */
export const measureOrders = async (api: ApiAccess, request: ExportRequest): Promise<OrderTimes> => {
  const until = Date.parse(request.start_time);
  const lastDays = (days: number, projectId: string): ExportRequest => ({
    ...request,
    session_id: projectId,
    start_time: isoFromMs(until - days * DAY_MS),
    end_time: isoFromMs(until),
  });
  const emptyProject = await createProject(api, "bench-empty");
  const empty = [];
  for (const days of EMPTY_DAYS) empty.push({ days, ...(await measureEmpty(api, lastDays(days, emptyProject))) });

  const wideProject = await createProject(api, "bench-wide");
  await sendRunADay(api, wideProject, until);
  await createExport(api, lastDays(WIDE_DAYS, wideProject));
  const orders: number[] = [];
  const left = Array.from({ length: ORDERS }, () => lastDays(1, wideProject)).values();
  const orderNext = async (): Promise<void> => {
    for (const order of left) {
      const begun = performance.now();
      await createExport(api, order);
      orders.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, orderNext));
  return { empty, orders };
};

const measureEmpty = async (api: ApiAccess, request: ExportRequest) => {
  const begun = performance.now();
  const id = await createExport(api, request);
  const created = performance.now() - begun;
  while ((await readStatus(api, id)) !== "COMPLETED") await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return { created, completed: performance.now() - begun };
};

/** One run on each of the last days before `until`. */
const sendRunADay = async (api: ApiAccess, projectId: string, until: number): Promise<void> => {
  const post = Array.from({ length: WIDE_DAYS }, (_, day) => ({
    id: crypto.randomUUID(),
    session_id: projectId,
    name: "run",
    run_type: "chain",
    start_time: isoFromMs(until - (day + 1) * DAY_MS),
  }));
  const answer = await fetch(`${api.url}/runs/batch`, {
    method: "POST",
    headers: { "X-API-Key": api.api_key, "Content-Type": "application/json" },
    body: JSON.stringify({ post }),
  });
  if (!answer.ok) throw new Error(`ingest was answered with ${answer.status}: ${await answer.text()}`);
};
