import {
  type ApiAccess,
  cancelExport,
  createExport,
  type EventAnswer,
  type ExportAnswer,
  type ExportRequest,
  listExports,
  untilCompleted,
} from "../api.ts";
import { table } from "../table.ts";

const POLL_INTERVAL_MS = 100;

/** Destination and project, which all exports of the demo share. */
export type Origin = Pick<ExportRequest, "bulk_export_destination_id" | "session_id">;

/** Creates an hourly schedule whose first window is due, waits until the export of that window is COMPLETED, and returns it. */
export const scheduleHourly = async (api: ApiAccess, origin: Origin, start: string): Promise<ExportAnswer> => {
  const scheduleId = await createExport(api, { ...origin, start_time: start, interval_hours: 1 });
  const find = async (): Promise<ExportAnswer | undefined> =>
    (await listExports(api)).findLast((one) => one.source_bulk_export_id === scheduleId);
  for (;;) {
    const spawned = await find();
    if (spawned !== undefined) {
      await untilCompleted(api, spawned.id, POLL_INTERVAL_MS);
      return (await find()) ?? spawned;
    }
    await new Promise((resume) => setTimeout(resume, POLL_INTERVAL_MS));
  }
};

/** Creates an export, cancels it while it is running, and returns its final record. */
export const startAndCancel = async (
  api: ApiAccess,
  origin: Origin,
  window: Pick<ExportRequest, "start_time" | "end_time">,
): Promise<ExportAnswer> => cancelExport(api, await createExport(api, { ...origin, ...window }));

/** Exports as a table, in the given order. */
export const exportTable = (exports: readonly ExportAnswer[]): string =>
  table(
    ["export", "from (UTC)", "to", "kind", "status", "rows"],
    exports.map((one) => [
      one.id.slice(0, 8),
      minuteOf(one.start_time),
      one.end_time === null ? "no end" : minuteOf(one.end_time),
      kindOf(one),
      one.status,
      String(one.rows_written),
    ]),
  );

const kindOf = (one: ExportAnswer): string => {
  if (one.end_time === null) return "schedule";
  return one.source_bulk_export_id === null ? "one-off" : `of ${one.source_bulk_export_id.slice(0, 8)}`;
};

const minuteOf = (instant: string): string => instant.slice(0, 16).replace("T", " ");

/** One line per event with the time since the first one. Consecutive events of one type share a line. */
export const timeline = (events: readonly EventAnswer[]): string => {
  const first = Date.parse(events[0]?.at ?? "");
  const groups: { readonly type: string; readonly at: string; times: number }[] = [];
  for (const { type, at } of events) {
    const last = groups.at(-1);
    if (last?.type === type) last.times += 1;
    else groups.push({ type, at, times: 1 });
  }
  return groups
    .map(({ type, at, times }) => {
      const seconds = ((Date.parse(at) - first) / 1000).toFixed(3);
      return `   ${seconds.padStart(7)} s   ${type}${times === 1 ? "" : ` (${times} times)`}`;
    })
    .join("\n");
};
