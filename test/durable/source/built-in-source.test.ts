import { describe, expect, it } from "vitest";
import { unrouted } from "../../../durable/protocol/actors.ts";
import { builtInSource } from "../../../durable/source/built-in/source.ts";
import type { StagedPages, StagingArea } from "../../../durable/source/port/staging-area.ts";
import type { SnapshotQuestion } from "../../../durable/source/port/trace-source.ts";
import type { Partition } from "../../../src/domain/export-run/partition.ts";
import { newWorkspace } from "../exporting.ts";
import { DAY, env, ingest, newId, post, WHOLE_DAY } from "../traces.ts";

const sourceOf = async (...ids: readonly string[]) => {
  const home = await newWorkspace();
  await ingest(home, ...ids.map((id) => post(id)));
  const { id: projectId, shards } = home.project;
  const project = { tenantId: home.tenantId, projectId, shards };
  return { project, source: builtInSource(env, project) };
};

const ofDay = (changes: Partial<Partition> = {}): SnapshotQuestion => ({
  exportId: crypto.randomUUID(),
  partition: { ordinal: 0, day: DAY, ...WHOLE_DAY, ...changes },
  filter: null,
  formatVersion: "v1",
  exportFields: null,
});

/** Rows that a table received, of the binding with that time. */
const OF_A_TABLE = { late: true, ingested: { from: 0, before: 1, since: 1 } };

/** A staging area with pages of another source, or an empty one. */
const staging = (staged: StagedPages | null): StagingArea => ({
  staged: () => staged,
  begin: () => Promise.reject(new Error("the built-in store stages nothing")),
  timeOut: new AbortController().signal,
  shouldLeave: () => false,
});

describe("a snapshot of the built-in store", () => {
  it("has every run that was acknowledged before", async () => {
    const { source } = await sourceOf(newId(), newId());
    const taken = await source.snapshot(ofDay(), staging(null));
    expect(taken).toMatchObject({ ok: true, value: [{ rows: 2 }] });
  });

  it("drops pages that were staged from a former source of the project, and fails the attempt", async () => {
    const { source } = await sourceOf(newId());
    let drops = 0;
    const left: StagedPages = {
      segments: [],
      plan: async () => ({}),
      add: async () => null,
      drop: async () => {
        drops += 1;
        return true;
      },
    };
    const taken = await source.snapshot(ofDay(), staging(left));
    expect(taken).toMatchObject({ ok: false, failure: { source: { reason: "rows_changed", retryable: true } } });
    expect(drops).toBe(1);
  });

  it("has no late rows of a former table of the project", async () => {
    const { source } = await sourceOf(newId());
    expect(await source.snapshot(ofDay(OF_A_TABLE), staging(null))).toEqual({ ok: true, value: [] });
  });
});

describe("late rows that an export did not complete", () => {
  const registered = { scheduleId: null, after: 0, firstDay: DAY, lastDay: DAY, limit: 10 };

  it("make the schedule search their day again", async () => {
    const { project, source } = await sourceOf();
    await source.releaseLate(crypto.randomUUID(), ofDay({ late: true }).partition);
    const { days } = await unrouted(env, project.tenantId).registeredDays({
      ...registered,
      projectId: project.projectId,
    });
    expect(days).toEqual([{ day: DAY, empty: [] }]);
  });

  it("of a table are left to the ledger of the schedule", async () => {
    const { project, source } = await sourceOf();
    await source.releaseLate(crypto.randomUUID(), ofDay(OF_A_TABLE).partition);
    const { days } = await unrouted(env, project.tenantId).registeredDays({
      ...registered,
      projectId: project.projectId,
    });
    expect(days).toEqual([]);
  });
});
