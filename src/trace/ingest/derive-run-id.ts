import { createHash } from "node:crypto";
import { canonicalUuid } from "../../domain/shared/run-id.ts";
import { startOf } from "../run/change.ts";
import type { IdMaker } from "./parse-run.ts";

const UUID_LENGTH = 36;

/**
 * The id of a run whose client sent none: the last id of its dotted order, otherwise a UUID of version 7 (RFC 9562,
 * 5.7) from the run's start time and, in place of random bits, a digest of its JSON. So the run is found like any
 * other, and the same JSON sent twice is one run.
 */
export const deriveRunId: IdMaker = (json, fields) =>
  canonicalUuid(fields.dotted_order?.slice(-UUID_LENGTH) ?? "") ??
  uuidV7(Math.floor((startOf(fields) ?? 0) / 1000), json);

function uuidV7(madeAtMs: number, content: Uint8Array): string {
  const time = madeAtMs.toString(16).padStart(12, "0");
  const digest = createHash("sha256").update(content).digest("hex");
  // The variant: the two highest bits are 1 and 0.
  const variant = ((Number.parseInt(digest.charAt(3), 16) & 0x3) | 0x8).toString(16);
  const groups = [time.slice(0, 8), time.slice(8), `7${digest.slice(0, 3)}`, `${variant}${digest.slice(4, 7)}`];
  return [...groups, digest.slice(7, 19)].join("-");
}
