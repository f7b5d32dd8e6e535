import { runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { traceShard, traceShardName, unrouted } from "../../durable/protocol/actors.ts";
import type { Env } from "../../durable/protocol/env.ts";
import type { Capacity, Taken } from "../../durable/protocol/shard.ts";
import type { Snapshot } from "../../durable/protocol/snapshot.ts";
import type { TraceShardActor } from "../../durable/shard/shard.ts";
import { type DayQuestion, snapshotOfDay } from "../../durable/source/built-in/snapshot.ts";
import { ingestChanges } from "../../durable/worker/ingest.ts";
import type { Project } from "../../src/domain/project/records.ts";
import type { SegmentRow } from "../../src/domain/run/row.ts";
import { ok, type Result } from "../../src/domain/shared/result.ts";
import { DAY_MICROS, type Window, windowOfDay } from "../../src/domain/shared/time.ts";
import { readSegmentRows } from "../../src/parquet/read/read-rows.ts";

import { NO_FIELDS, type RunChange } from "../../src/trace/run/change.ts";
import { feedbackEdit } from "../../src/trace/run/feedback.ts";

/** A project of its own for each test, filled as HTTP does, and read through its segments. */

export const env: Env = bindings;

export const DAY = "2030-01-02";
export const WHOLE_DAY = windowOfDay(DAY);
export const NOON = WHOLE_DAY.start + DAY_MICROS / 2;

export interface TestProject {
  readonly tenantId: string;
  readonly project: Project;
}

export function newProject(shards = 1): TestProject {
  const tenantId = crypto.randomUUID();
  const id = crypto.randomUUID();
  const said = { description: null, extra: null, startTime: 0, endTime: null, retentionDays: null };
  return { tenantId, project: { id, tenantId, name: "demo", shards, ...said } };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | null | undefined): string =>
  new TextDecoder().decode(value ?? new Uint8Array());

let made = 0;
/** Ids of version 4, ascending. */
export const newId = (): string => `00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`;

export const post = (id: string, fields: Partial<RunChange> = {}): RunChange => ({
  ...NO_FIELDS,
  kind: "post",
  id,
  project: { name: "demo" },
  start_time: NOON,
  name: "posted",
  feedback: null,
  ...fields,
});

/** A patch as sent for a run, without project and day. */
export const patch = (id: string, fields: Partial<RunChange> = {}): RunChange => ({
  ...NO_FIELDS,
  kind: "patch",
  id,
  project: null,
  feedback: null,
  ...fields,
});

export function feedback(runId: string, entry: { readonly key: string; readonly score: number }): RunChange {
  const id = newId();
  return feedbackEdit(runId, { id, json: JSON.stringify({ id, created_at: "2030-01-02T12:00:00Z", ...entry }) });
}

export async function ingest({ tenantId, project }: TestProject, ...changes: RunChange[]) {
  async function* each() {
    for (const change of changes) yield ok(change);
  }
  return ingestChanges(env, tenantId, async (asked) => asked.map(() => ok(project)), each());
}

/** The answer of a shard that has capacity. */
export function takenOf(answer: Result<Taken, Capacity>): Taken {
  if (!answer.ok) throw new Error(answer.failure.message);
  return answer.value;
}

export const snapshot = ({ tenantId, project }: TestProject, window = WHOLE_DAY): Promise<Snapshot> =>
  snapshotOf({ tenantId, projectId: project.id, day: DAY, shards: project.shards }, window);

/** The rows of a one-off export of a day; seals everything of that day. */
export const snapshotOf = async (
  day: Pick<DayQuestion, "tenantId" | "projectId" | "day" | "shards">,
  window: Window,
): Promise<Snapshot> => ({ segments: await snapshotOfDay(env, { ...day, window, claim: null, filter: null }) });

export async function rowsIn(snapshotted: Snapshot): Promise<SegmentRow[]> {
  const rows: SegmentRow[] = [];
  for (const { key, etag, bytes: size } of snapshotted.segments) {
    const object = await env.SEGMENTS.get(key);
    if (object === null) throw new Error(`${key} is missing`);
    if (object.etag !== etag || object.size !== size) throw new Error(`${key} is not what the snapshot says`);
    rows.push(...readSegmentRows(new Uint8Array(await object.arrayBuffer())));
  }
  return rows;
}

/** The rows that a snapshot for a schedule selects. */
export async function selectedRows(snapshotted: Snapshot): Promise<SegmentRow[]> {
  const rows = snapshotted.segments.map(async (segment) =>
    (await rowsIn({ segments: [segment] })).filter(({ start_time: start }) =>
      segment.keep?.some((window) => start >= window.start && start < window.end),
    ),
  );
  return (await Promise.all(rows)).flat();
}

export const exported = async (project: TestProject): Promise<SegmentRow[]> => rowsIn(await snapshot(project));

/** The stub as the test helpers need it: typed as a stub. */
export function shardStub({ tenantId, project }: TestProject, shard = 0): DurableObjectStub<TraceShardActor> {
  const name = traceShardName({ tenantId, projectId: project.id, day: DAY, shard });
  return env.TRACE_SHARD.getByName(name) as unknown as DurableObjectStub<TraceShardActor>;
}

export const shard = ({ tenantId, project }: TestProject, ordinal = 0) =>
  traceShard(env, { tenantId, projectId: project.id, day: DAY, shard: ordinal });

export const unroutedOf = ({ tenantId }: TestProject) => unrouted(env, tenantId);

/** Gives the shard another bucket or other settings, until it is evicted. */
export const withEnv = (
  project: TestProject,
  change: (env: Env, state: DurableObjectState) => Partial<Env>,
): Promise<void> =>
  runInDurableObject(shardStub(project), (instance, state) => {
    // `env` is protected in the types only.
    const inside = instance as unknown as { env: Env };
    inside.env = { ...inside.env, ...change(inside.env, state) };
  });

/** Advances the shard's clock far ahead, then runs its alarm once. */
export const ringMuchLater = (project: TestProject, ordinal = 0): Promise<void> =>
  runInDurableObject(shardStub(project, ordinal), async (instance, { storage }) => {
    const isThere = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'segment'").toArray().length > 0;
    if (isThere) storage.sql.exec("UPDATE segment SET at = at - ? WHERE state = 'live'", 2 * 3_600_000);
    await instance.alarm();
  });

export const keysOf = async ({ tenantId }: TestProject): Promise<string[]> =>
  (await env.SEGMENTS.list({ prefix: `trace/${tenantId}/` })).objects.map(({ key }) => key);
