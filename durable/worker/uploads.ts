import { MAX_TARBALL_BYTES } from "../../src/agent/limits.ts";
import { boundedBody } from "../../src/net/bounded-body.ts";
import { keepUpload } from "../deployment/agent-store.ts";
import type { Env } from "../protocol/env.ts";
import { openText, sealText } from "../secrets/vault.ts";

/**
 * Rights to upload one source, sealed: who has the address may send, without a key, as with the signed URLs of
 * object stores.
 */
export interface Upload {
  readonly tenantId: string;
  readonly path: string;
}

/** What tickets are sealed for, instead of a destination or a deployment. */
const OWNER = "uploads";

const VALID_MS = 60 * 60 * 1000;

/** A new place for a source, and the right to fill it within the hour. */
export async function uploadTicket(
  env: Env,
  tenantId: string,
  now: number,
): Promise<{ readonly path: string; readonly ticket: string }> {
  const path = `uploads/${crypto.randomUUID()}.tar.gz`;
  const ticket = await sealText(env, OWNER, JSON.stringify({ tenantId, path, until: now + VALID_MS }));
  return { path, ticket };
}

/** What the ticket allows; null: it is not one of ours, or too old. */
export async function openUpload(env: Env, ticket: string, now: number): Promise<Upload | null> {
  const plain = await openText(env, OWNER, ticket);
  if (plain === null) return null;
  const { until, ...upload } = JSON.parse(plain) as Upload & { readonly until: number }; // sealed by uploadTicket
  return now < until ? upload : null;
}

/** Keeps the source; sent again, it takes the place of the earlier one. */
export async function keepSource(
  env: Env,
  { tenantId, path }: Upload,
  body: ReadableStream<Uint8Array> | null,
): Promise<"kept" | "too_long" | "no_gzip"> {
  const bytes = await boundedBody({ body }, MAX_TARBALL_BYTES);
  if (bytes === null) return "too_long";
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b; // RFC 1952, 2.3.1
  if (!isGzip) return "no_gzip";
  await keepUpload(env, tenantId, path, bytes);
  return "kept";
}
