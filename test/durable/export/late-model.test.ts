import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import fc from "fast-check";
import { expect, it } from "vitest";
import { findLateRows, releaseLateRows } from "../../../durable/export/late-rows.ts";
import type { Claim } from "../../../durable/protocol/snapshot.ts";
import { sourceOf } from "../../../durable/source/source-of.ts";
import type { ExportPlan } from "../../../src/domain/export/events.ts";
import { windowOf } from "../../../src/domain/schedule/windows.ts";
import { type Window, windowOfDay } from "../../../src/domain/shared/time.ts";
import { rounds } from "../../support/rounds.ts";
import { planOf } from "../../support/samples.ts";
import {
  DAY,
  env,
  exported,
  ingest,
  newId,
  newProject,
  patch,
  post,
  ringMuchLater,
  selectedRows,
  shard,
  shardStub,
  type TestProject,
} from "../traces.ts";

/**
 * One shard, two hourly schedules, and random events in between: each run of the windows that a schedule has
 * exported is in exactly one of its exports, late rows in a completed one.
 */

const START = windowOfDay(DAY).start;
const HOUR_MICROS = 3_600_000_000;
const HOURS = 4;

type Step =
  | { readonly kind: "post"; readonly hour: number }
  | { readonly kind: "patch"; readonly run: number; readonly hour: number }
  | { readonly kind: "window"; readonly schedule: 0 | 1; readonly completes: boolean; readonly asks: number }
  | { readonly kind: "seal" | "compact" | "evict" | "one-off" };

const hours = fc.nat({ max: HOURS - 1 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("post" as const), hour: hours }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("patch" as const), run: fc.nat(), hour: hours }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("window" as const),
        schedule: fc.constantFrom(0 as const, 1 as const),
        completes: fc.boolean(),
        asks: fc.integer({ min: 1, max: 2 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom("seal" as const, "evict" as const, "one-off" as const) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("compact" as const) }),
    },
  ),
  { minLength: 10, maxLength: 30 },
);

const at = (hour: number) => ({ start_time: START + hour * HOUR_MICROS + 1 });
const windowAt = (index: number): Window => windowOf(START, 1, index);

/** A schedule as its alarm drives it, and what its exports held. */
function scheduleOf(project: TestProject) {
  const id = crypto.randomUUID();
  const { tenantId } = project;
  const place = { tenantId, projectId: project.project.id, start: START, end: null, intervalHours: 1 };
  const plan: ExportPlan = planOf({ ...place, id });
  const carried: string[] = [];
  let windows = 0;
  let lastRegistration = 0;

  const claimed = async (claim: Claim, window: Window, asks: number): Promise<string[]> => {
    const answers: string[][] = [];
    for (let ask = 0; ask < asks; ask += 1) {
      if (ask > 0) await ingest(project, post(newId(), at(0)));
      const rows = await selectedRows(await shard(project).snapshot(window, 0, claim));
      answers.push(rows.map((row) => row.id).sort());
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    return answers[0] ?? [];
  };

  /** Whether the day has rows; the answer stays the same for the schedule when rows arrive between two questions. */
  const hasRows = async (window: Window, asks: number): Promise<boolean> => {
    const source = await sourceOf(env, { tenantId, projectId: project.project.id, shards: 1 });
    const answers: number[] = [];
    for (let ask = 0; ask < asks; ask += 1) {
      if (ask > 0) await ingest(project, post(newId(), at(0)));
      answers.push((await source.findDays({ scheduleId: id, window, limit: 9 })).days.length);
    }
    if (answers[0] === 0) expect(answers).toEqual(answers.map(() => 0));
    return answers[0] === 1;
  };

  return {
    carried,
    until: () => windowAt(windows).start,
    async exportNext(completes: boolean, asks: number): Promise<void> {
      const window = windowAt(windows);
      const exportId = crypto.randomUUID();
      const search = await findLateRows(
        env,
        plan,
        { ...window, index: windows, covered: { start: START, end: window.start }, next: window.start },
        { lastRegistration, table: null },
      );
      lastRegistration = search.lastRegistration;
      const claim = { scheduleId: id, exportId };
      if (await hasRows(window, asks)) carried.push(...(await claimed({ ...claim, kind: "main" }, window, asks)));
      windows += 1;
      for (const part of search.windows) {
        const late = await claimed({ ...claim, kind: "late" }, part, asks);
        if (completes) carried.push(...late);
      }
      if (!completes && search.windows.length > 0) {
        const exported = { ...plan, definition: { ...plan.definition, id: exportId } };
        await releaseLateRows(env, exported, { ...window, ordinal: 1, day: DAY, late: true });
      }
    },
  };
}

it("each run of the exported windows is exported exactly once, for any order of events", {
  tags: "search",
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (asked) => {
      const project = newProject();
      const schedules = [scheduleOf(project), scheduleOf(project)] as const;
      const runs: string[] = [];
      for (const step of asked) {
        if (step.kind === "post") {
          const id = newId();
          runs.push(id);
          await ingest(project, post(id, at(step.hour)));
        } else if (step.kind === "patch") {
          const id = runs[step.run % runs.length];
          const said = { project: { name: "demo" }, name: "patched", ...at(step.hour) };
          if (id !== undefined) await ingest(project, patch(id, said));
        } else if (step.kind === "window") await schedules[step.schedule].exportNext(step.completes, step.asks);
        else if (step.kind === "one-off") await exported(project);
        else if (step.kind === "compact") await ringMuchLater(project);
        else if (step.kind === "seal") await runDurableObjectAlarm(shardStub(project));
        else {
          await shard(project).has([]);
          await evictDurableObject(shardStub(project));
        }
      }
      for (const schedule of schedules) {
        await schedule.exportNext(true, 1);
        const there = (await exported(project)).filter((row) => (row.start_time ?? 0) < schedule.until());
        expect([...schedule.carried].sort()).toEqual(there.map((row) => row.id).sort());
      }
    }),
    { numRuns: rounds(5, 40) },
  );
});
