import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { expect, it } from "vitest";
import { ingestChanges } from "../../../durable/worker/ingest.ts";
import type { SegmentRow } from "../../../src/domain/run/row.ts";
import { ok } from "../../../src/domain/shared/result.ts";
import { DAY_MS, isoFromMs, startOfDay, windowOfDay } from "../../../src/domain/shared/time.ts";
import { decodeBody } from "../../../src/trace/ingest/body/decode-body.ts";
import { readMultipart } from "../../../src/trace/ingest/multipart/read-multipart.ts";
import { readBatch } from "../../../src/trace/ingest/read-batch.ts";
import { rounds } from "../../support/rounds.ts";
import {
  DAY,
  env,
  newId,
  newProject,
  ringMuchLater,
  rowsIn,
  shard,
  shardStub,
  snapshotOf,
  type TestProject,
  text,
} from "../traces.ts";

/**
 * For any order of requests and seals: each acknowledged run is exported once, with
 * the content of its changes. The model is a few lines; the seed of a failure reproduces it.
 */

const SEEDS = Array.from({ length: rounds(2, 12) }, (_, n) => n + 1);
const RUNS = 40;
const DAYS = [DAY, "2030-01-03"] as const;
const OTHER_PROJECT = "other";

type Json = Record<string, unknown>;

/** One request of a client. */
interface Sent {
  readonly kind: "post" | "patch" | "feedback";
  readonly run: string;
  readonly json: Json;
}

/** What an export shows of a run, times in microseconds. */
interface Shown {
  readonly id: string;
  readonly name: unknown;
  readonly run_type: unknown;
  readonly tags: unknown;
  readonly start_time: unknown;
  readonly end_time: unknown;
  readonly status: string;
  readonly inputs: string;
  readonly outputs: string;
  readonly extra: string;
  readonly scores: Readonly<Record<string, readonly [count: number, average: number]>>;
}

interface Dice {
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  shuffled<T>(list: readonly T[]): T[];
}

/** A seeded random generator (mulberry32). */
function diceOf(seed: number): Dice {
  let state = seed;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const shuffled = <T>(list: readonly T[]): T[] => {
    const rest = [...list];
    return list.flatMap(() => rest.splice(below(rest.length), 1));
  };
  return {
    below,
    shuffled,
    pick: (from) => {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new Error("nothing to pick from");
      return picked;
    },
  };
}

/** All changes sent for one run: 0 to 2 posts, patches with and without an address, feedback; some of them twice. */
function changesOf(dice: Dice, id: string, startMs: number): Sent[] {
  const iso = isoFromMs(startMs);
  const dottedOrder = `${iso.replaceAll(/[-:]/g, "").replace(".", "").replace("Z", "000Z")}${id}`;
  const starts: readonly Json[] = [{ start_time: iso }, { start_time: startMs }, { dotted_order: dottedOrder }];
  const home = { session_name: "demo" };
  const value = () => ({ value: dice.below(1000), text: "é\ud83d\ude9a" });
  const posts = Array.from(
    { length: dice.pick([0, 1, 1, 1, 2]) },
    (): Json => ({
      ...home,
      ...dice.pick(starts),
      name: `posted ${dice.below(10)}`,
      run_type: dice.pick(["chain", "llm"]),
      inputs: value(),
      ...dice.pick([{}, { outputs: value(), end_time: startMs + dice.below(1000) }]),
    }),
  );
  const addressed = Array.from(
    { length: dice.below(3) },
    (): Json => ({
      ...home,
      ...dice.pick(starts),
      ...dice.pick([{ name: `patched ${dice.below(10)}` }, { tags: [`tag ${dice.below(10)}`] }, { extra: value() }]),
    }),
  );
  const lost = Array.from(
    { length: dice.below(3) },
    (): Json => ({
      ...dice.pick([{}, {}, { session_name: OTHER_PROJECT }]),
      end_time: startMs + dice.below(1000),
      ...dice.pick([{}, { outputs: value() }]),
    }),
  );
  const feedbackIds = [newId(), newId()];
  const feedback = Array.from(
    { length: dice.below(4) },
    (): Json => ({
      id: dice.pick(feedbackIds),
      run_id: id,
      key: dice.pick(["liked", "exact"]),
      score: dice.below(5),
    }),
  );
  const of = (kind: Sent["kind"], list: readonly Json[]): Sent[] =>
    list.map((json) => ({ kind, run: id, json: kind === "feedback" ? json : { id, ...json } }));
  const all = [...of("post", posts), ...of("patch", [...addressed, ...lost]), ...of("feedback", feedback)];
  return [...all, ...all.filter(() => dice.below(4) === 0)];
}

/** The run that was sent, or null when no change shows that it exists. */
function modelOf(id: string, startMs: number, sent: readonly Sent[]): Shown | null {
  const merged = (kind: Sent["kind"]): Json =>
    Object.assign({}, ...sent.filter((one) => one.kind === kind).map(({ json }) => json));
  if (!sent.some(({ kind, json }) => kind !== "feedback" && json.session_name === "demo")) return null;
  const run = { ...merged("post"), ...merged("patch") } as Json;
  const latest = new Map(sent.filter(({ kind }) => kind === "feedback").map(({ json }) => [json.id, json]));
  const scores = new Map<string, number[]>();
  for (const { key, score } of latest.values())
    scores.set(String(key), [...(scores.get(String(key)) ?? []), Number(score)]);
  const json = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value));
  return {
    id,
    name: run.name ?? null,
    run_type: run.run_type ?? null,
    tags: run.tags ?? null,
    start_time: startMs * 1000,
    end_time: run.end_time === undefined ? null : Number(run.end_time) * 1000,
    status: run.end_time === undefined ? "pending" : "success",
    inputs: json(run.inputs),
    outputs: json(run.outputs),
    extra: json(run.extra),
    scores: Object.fromEntries(
      [...scores].map(([key, all]) => [key, [all.length, all.reduce((sum, score) => sum + score, 0) / all.length]]),
    ),
  };
}

function shownOf(row: SegmentRow): Shown {
  const stats: Readonly<Record<string, { n: number; avg: number }>> = JSON.parse(text(row.feedback_stats) || "{}");
  return {
    id: row.id,
    name: row.name,
    run_type: row.run_type,
    tags: row.tags,
    start_time: row.start_time,
    end_time: row.end_time,
    status: row.status,
    inputs: text(row.inputs),
    outputs: text(row.outputs),
    extra: text(row.extra),
    scores: Object.fromEntries(Object.entries(stats).map(([key, { n, avg }]) => [key, [n, avg]])),
  };
}

const BOUNDARY = "boundary";

function multipartOf(sent: readonly Sent[]): string {
  const parts = sent.map(({ kind, run, json }) => {
    const body = JSON.stringify(json);
    const name = `${kind}.${kind === "feedback" ? json.id : run}`;
    const length = new TextEncoder().encode(body).length;
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json; length=${length}\r\n\r\n${body}\r\n`;
  });
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
}

const batchOf = (sent: readonly Sent[]): string => {
  const of = (wanted: Sent["kind"]) => sent.filter(({ kind }) => kind === wanted).map(({ json }) => json);
  return JSON.stringify({ post: of("post"), patch: of("patch") });
};

/** Sends one request, as a batch where possible, and expects that all of it is accepted. */
async function send(dice: Dice, home: TestProject, other: TestProject, sent: readonly Sent[]): Promise<void> {
  const isBatch = dice.below(2) === 0 && sent.every(({ kind }) => kind !== "feedback");
  const plain = new Blob([isBatch ? batchOf(sent) : multipartOf(sent)]).stream();
  const isZipped = dice.below(2) === 0;
  const body = decodeBody(
    isZipped ? plain.pipeThrough(new CompressionStream("gzip")) : plain,
    isZipped ? "gzip" : null,
  );
  if (!body.ok) throw new Error(body.failure.message);
  const changes = isBatch ? readBatch(body.value) : readMultipart(body.value, BOUNDARY);
  const outcome = await ingestChanges(
    env,
    home.tenantId,
    async (asked) => asked.map((one) => ok("name" in one && one.name === OTHER_PROJECT ? other.project : home.project)),
    changes,
  );
  expect(outcome).toEqual({ accepted: sent.length, refusals: [], capacity: null });
}

async function exportedOn({ tenantId, project }: TestProject, day: string): Promise<SegmentRow[]> {
  const window = windowOfDay(day);
  const place = { tenantId, projectId: project.id, day, shards: project.shards };
  return rowsIn(await snapshotOf(place, window));
}

/** Evicts the shard, where it may already be gone. */
async function forget(project: TestProject, ordinal: number): Promise<void> {
  await shard(project, ordinal).has([]);
  await evictDurableObject(shardStub(project, ordinal));
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

it.each(SEEDS)(
  "each run is exported once with everything sent of it, in any order (seed %i)",
  { tags: "search" },
  async (seed) => {
    const dice = diceOf(seed);
    const home = newProject(2);
    const other = { tenantId: home.tenantId, project: { ...home.project, id: crypto.randomUUID() } };
    const runs = Array.from({ length: RUNS }, () => {
      const id = newId();
      const day = dice.pick(DAYS);
      const startMs = startOfDay(day) + dice.below(DAY_MS);
      return { id, day, startMs, changes: changesOf(dice, id, startMs) };
    });
    const stranger: Sent = {
      kind: "post",
      run: newId(),
      json: { session_name: OTHER_PROJECT, start_time: startOfDay(DAY) },
    };
    await send(dice, home, other, [{ ...stranger, json: { id: stranger.run, ...stranger.json } }]);

    const sent: Sent[] = dice.shuffled(runs.flatMap(({ changes }) => changes));
    for (let at = 0; at < sent.length; ) {
      const size = 1 + dice.below(20);
      await send(dice, home, other, sent.slice(at, at + size));
      at += size;
      const between = dice.below(7);
      if (between === 0) await exportedOn(home, dice.pick(DAYS));
      if (between === 1) await forget(home, dice.below(2));
      if (between === 3) await ringMuchLater(home, dice.below(2));
      if (between === 2) await runDurableObjectAlarm(shardStub(home, dice.below(2)));
    }

    for (const day of DAYS) {
      const expected = runs
        .filter((run) => run.day === day)
        .flatMap(
          ({ id, startMs }) =>
            modelOf(
              id,
              startMs,
              sent.filter(({ run }) => run === id),
            ) ?? [],
        );
      expect((await exportedOn(home, day)).map(shownOf).sort(byId)).toEqual(expected.sort(byId));
    }
    expect((await exportedOn(other, DAY)).map(({ id }) => id)).toEqual([stranger.run]);
  },
);
