import { expect, it } from "vitest";
import { add, emptyDraft } from "../../../durable/shard/seal/draft.ts";
import { deriveRow } from "../../../src/trace/run/derive-row.ts";
import { mergeChanges, noRun } from "../../../src/trace/run/merge.ts";
import { groupByRun } from "../../../src/trace/segments/seal-plan.ts";
import { bytes, newId, patch, post } from "../traces.ts";

it("A row that waits to be sealed keeps only its own bytes in memory, even if larger values were replaced", () => {
  const id = newId();
  const body = new Uint8Array(1024 * 1024);
  const replaced = post(id, { inputs: body.subarray(0, 1024 * 1024 - 1), error: body.subarray(1024 * 1024 - 1) });
  const row = deriveRow(mergeChanges(noRun(id), [replaced, patch(id, { inputs: bytes("{}") })]));
  const [source] = groupByRun(
    [{ seq: 1, run: id, kind: "post", ended: true, at: 0, bytes: 1, start: 0, rank: 3 }],
    new Map(),
  );
  if (row === null || source === undefined) throw new Error("a run that began has a row");
  const draft = emptyDraft();
  add(draft, row, source);
  const [kept] = draft.rows;
  expect([kept?.inputs?.buffer.byteLength, kept?.error?.buffer.byteLength]).toEqual([2, 1]);
  expect(kept).toEqual(row);
});
