import type { Result } from "../../src/domain/shared/result.ts";
import { type Invalid, NO_FIELDS, type RunChange } from "../../src/trace/run/change.ts";

/** Bodies and changes shared by the tests of this folder. */

export const RUN_ID = "019aa000-0000-7000-8000-000000000001";
export const PARENT_ID = "019aa000-0000-7000-8000-000000000002";
export const PROJECT_ID = "7d1f8d0e-0000-4000-8000-000000000003";
export const START = "2030-01-01T10:00:00.123456Z";
export const START_MICROS = Date.UTC(2030, 0, 1, 10, 0, 0, 123) * 1000 + 456;

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | null | undefined): string | null =>
  value === null || value === undefined ? null : new TextDecoder().decode(value);

/** The body as a stream of chunks of that many bytes. Small chunks test that chunk boundaries do not matter. */
export function streamOf(body: string | Uint8Array, chunkBytes = 1024): ReadableStream<Uint8Array> {
  const whole = typeof body === "string" ? bytes(body) : body;
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= whole.length) return controller.close();
      controller.enqueue(whole.slice(at, at + chunkBytes));
      at += chunkBytes;
    },
  });
}

export async function collect(changes: AsyncIterable<Result<RunChange, Invalid>>) {
  const accepted: RunChange[] = [];
  const refused: Invalid[] = [];
  for await (const change of changes) {
    if (change.ok) accepted.push(change.value);
    else refused.push(change.failure);
  }
  return { accepted, refused };
}

export const change = (kind: "post" | "patch", fields: Partial<RunChange> = {}): RunChange => ({
  ...NO_FIELDS,
  kind,
  id: RUN_ID,
  project: { name: "demo" },
  feedback: null,
  ...fields,
});

export const feedback = (id: string, entry: object): RunChange => ({
  ...NO_FIELDS,
  kind: "feedback",
  id: RUN_ID,
  project: null,
  feedback: { id, json: JSON.stringify({ id, ...entry }) },
});
