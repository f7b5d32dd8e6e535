/** Ids of runs: UUIDs, kept in lower case with hyphens. */

const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const BARE = /^[0-9a-f]{32}$/;

/** The canonical spelling of a UUID; null: the text is not a UUID. */
export function canonicalUuid(text: string): string | null {
  const lower = text.toLowerCase();
  if (HYPHENATED.test(lower)) return lower;
  if (!BARE.test(lower)) return null;
  return [lower.slice(0, 8), lower.slice(8, 12), lower.slice(12, 16), lower.slice(16, 20), lower.slice(20)].join("-");
}

/** Timestamp of a version 7 UUID, in epoch milliseconds (RFC 9562, 5.7); null for another version. */
export const timestampOfUuid = (uuid: string): number | null =>
  uuid[14] === "7" ? Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) : null;
