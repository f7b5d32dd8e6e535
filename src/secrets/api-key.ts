import { timingSafeEqual } from "node:crypto";

/**
 * API keys: `wbk_<tenant id without hyphens>_<random bytes in base64url>`. The tenant id leads to the workspace that can
 * check the key. Only the hash of a key is stored.
 */

/** 256 random bits cannot be guessed, so a fast hash is enough. */
const MIN_RANDOM_BYTES = 32;

/** Keeps a key short enough for any header. */
const MAX_RANDOM_BYTES = 64;

const API_KEY = /^wbk_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_[A-Za-z0-9_-]{43,86}$/;

const TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Makes a key of 32 to 64 random bytes for the tenant, a UUID in lower case. */
export function newApiKey(tenantId: string, random: Uint8Array): string {
  if (!TENANT_ID.test(tenantId)) throw new Error("the tenant id is not a lower-case UUID");
  if (random.length < MIN_RANDOM_BYTES || random.length > MAX_RANDOM_BYTES) {
    throw new Error("wrong number of random bytes for an API key");
  }
  const secret = btoa(String.fromCharCode(...random))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  return `wbk_${tenantId.replaceAll("-", "")}_${secret}`;
}

/** The unverified tenant id in a key; null: the text does not have the form of a key. */
export function tenantOfApiKey(key: string): string | null {
  const groups = API_KEY.exec(key);
  return groups === null ? null : groups.slice(1).join("-");
}

/** SHA-256 of a key in lower-case hex, which the workspace stores. */
export async function hashApiKey(key: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Compares a guess with a secret in constant time. */
export async function sameSecret(guess: string, secret: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [guessDigest, secretDigest] = await Promise.all([
    crypto.subtle.digest("SHA-256", encoder.encode(guess)),
    crypto.subtle.digest("SHA-256", encoder.encode(secret)),
  ]);
  return timingSafeEqual(new Uint8Array(guessDigest), new Uint8Array(secretDigest));
}
