import type { Staging } from "../../../src/domain/export-run/progress.ts";
import type { StagedPages, StagingArea } from "../../source/port/staging-area.ts";
import type { StepContext } from "./context.ts";
import { deleteAll, putSegment, stagedKey, stagedKeys, stagingKey } from "./scratch.ts";

/** Stages pages in scratch, and records each in the log of the export run. */
export const stagingArea = (context: StepContext): StagingArea => ({
  timeOut: context.timeOut,

  staged() {
    const { staging } = context.progress();
    return staging === null ? null : pagesOf(context, staging);
  },

  async begin(plan, facts) {
    const { env, spec, snapshotStep } = context;
    const key = stagingKey(spec, snapshotStep);
    await env.SEGMENTS.put(key, JSON.stringify(plan));
    const staging = { key, ...facts };
    if (!context.record({ type: "RecordStaging", staging, snapshotStep, now: Date.now() })) return null;
    return this.staged();
  },

  shouldLeave: () => context.isTired() || !context.isWanted(),
});

const pagesOf = (context: StepContext, staging: Staging): StagedPages => {
  const { env, snapshotStep } = context;
  return {
    segments: staging.segments,

    async plan() {
      const object = await env.SEGMENTS.get(staging.key);
      if (object === null) throw new Error("the plan of the staged pages is missing from scratch");
      return object.json();
    },

    async add(page, made) {
      const segment = await putSegment(env, stagedKey(staging, page), made);
      return context.record({ type: "RecordPage", page, segment, snapshotStep, now: Date.now() }) ? segment : null;
    },

    async drop() {
      // Recorded first: a later step that is at work still needs its pages.
      if (!context.record({ type: "DropStaging", snapshotStep, now: Date.now() })) return false;
      await deleteAll(env, stagedKeys(staging));
      return true;
    },
  };
};
