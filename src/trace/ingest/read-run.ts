import type { Result } from "../../domain/shared/result.ts";
import { checkPost, type Invalid, invalid, MAX_CHANGE_BYTES, type RunChange } from "../run/change.ts";
import { feedbackChange, MAX_FEEDBACK_BYTES } from "../run/feedback.ts";
import { readWhole } from "./body/byte-source.ts";
import { type RunOrigin, runChange } from "./parse-run.ts";

/** Reads a body that is one run: `POST /runs`, or `PATCH /runs/{id}` with the id from the path in `origin`. */
export async function readRun(
  body: ReadableStream<Uint8Array>,
  origin: RunOrigin,
): Promise<Result<RunChange, Invalid>> {
  const bytes = await readSomething(body, MAX_CHANGE_BYTES);
  if (!bytes.ok) return bytes;
  const change = runChange(bytes.value, origin);
  return change.ok ? checkPost(change.value, origin.loc) : change;
}

/** Reads a body that is one feedback. `id`: its id if the JSON has none; null: the JSON must have one. */
export async function readFeedback(
  body: ReadableStream<Uint8Array>,
  id: string | null,
): Promise<Result<RunChange, Invalid>> {
  const bytes = await readSomething(body, MAX_FEEDBACK_BYTES);
  return bytes.ok ? feedbackChange(bytes.value, id, ["body"]) : bytes;
}

async function readSomething(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Result<Uint8Array, Invalid>> {
  const bytes = await readWhole(body, maxBytes);
  return bytes.ok && bytes.value.length === 0 ? invalid(["body"], "the body is empty", "missing") : bytes;
}
