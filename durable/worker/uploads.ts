import { MAX_TARBALL_BYTES } from "../../src/agent/limits.ts";
import { boundedBody } from "../../src/net/bounded-body.ts";
import { storeUpload } from "../deployment/data-plane/edge/agent-store.ts";
import type { Env } from "../protocol/env.ts";
import { openText, sealText } from "../secrets/vault.ts";

/**
 * The right to upload one source. It is sealed into an address, which needs no key, like the signed URLs of object
 * stores.
 */
export interface Upload {
  readonly tenantId: string;
  readonly path: string;
}

/** The context in which tickets are sealed. */
const CONTEXT = "uploads";

const VALID_MS = 60 * 60 * 1000;

/** A new path for a source, and a ticket that lets its bearer upload it within the hour. */
export async function uploadTicket(
  env: Env,
  tenantId: string,
  now: number,
): Promise<{ readonly path: string; readonly ticket: string }> {
  const path = `uploads/${crypto.randomUUID()}.tar.gz`;
  const ticket = await sealText(env, CONTEXT, JSON.stringify({ tenantId, path, until: now + VALID_MS }));
  return { path, ticket };
}

/** The upload that the ticket allows; null: the ticket is not valid, or it has expired. */
export async function openUpload(env: Env, ticket: string, now: number): Promise<Upload | null> {
  const plain = await openText(env, CONTEXT, ticket);
  if (plain === null) return null;
  const { until, ...upload } = JSON.parse(plain) as Upload & { readonly until: number }; // sealed by uploadTicket
  return now < until ? upload : null;
}

/** Stores the source; sent again, it replaces the earlier one. */
export async function keepSource(
  env: Env,
  { tenantId, path }: Upload,
  body: ReadableStream<Uint8Array> | null,
): Promise<"kept" | "too_long" | "no_gzip"> {
  const bytes = await boundedBody({ body }, MAX_TARBALL_BYTES);
  if (bytes === null) return "too_long";
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b; // RFC 1952, 2.3.1
  if (!isGzip) return "no_gzip";
  await storeUpload(env, tenantId, path, bytes);
  return "kept";
}
