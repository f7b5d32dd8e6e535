/**
 * Options of every object that is written to a destination [DST-20]. A value null: the bucket's own setting holds.
 */
export interface ObjectOptions {
  /** Canned ACL: who else may read the object, for example its bucket's owner. */
  readonly acl: string | null;
  readonly storageClass: string | null;
  readonly serverSideEncryption: string | null;
  /** Id or ARN of the key for the encryption. */
  readonly kmsKeyId: string | null;
  /** `key=value&key=value`, percent-encoded. */
  readonly tagging: string | null;
}

const MEMBERS = [
  "acl",
  "storageClass",
  "serverSideEncryption",
  "kmsKeyId",
  "tagging",
] as const satisfies readonly (keyof ObjectOptions)[];

/** Whether both are the same; absent: none. */
export const isSameOptions = (one: ObjectOptions | undefined, other: ObjectOptions | undefined): boolean =>
  MEMBERS.every((member) => (one?.[member] ?? null) === (other?.[member] ?? null));

/** The limits of S3 for the tags of an object (AWS: Categorizing your objects using tags). */
const MAX_TAGS = 10;
const MAX_TAG_KEY_CHARACTERS = 128;
const MAX_TAG_VALUE_CHARACTERS = 256;
/** A header that is longer than 4 KiB is refused by proxies. */
const MAX_TAGGING_CHARACTERS = 4096;

/** A query string. Nothing else may stand in a header. */
const QUERY = /^[A-Za-z0-9%+=&:/@._~!*'()-]*$/;

/** Why a text is not a list of tags, as a sentence; null: it is. */
export function taggingProblem(tagging: string): string | null {
  if (tagging.length > MAX_TAGGING_CHARACTERS) return `The tags are longer than ${MAX_TAGGING_CHARACTERS} characters.`;
  if (!QUERY.test(tagging)) return "Give tags as key=value&key=value, and percent-encode other characters.";
  const pairs = tagging.split("&").map((pair) => pair.split("="));
  if (pairs.length > MAX_TAGS) return `An object has at most ${MAX_TAGS} tags.`;
  const keys = new Set<string>();
  for (const [encodedKey = "", encodedValue = "", ...rest] of pairs) {
    const [key, value] = [decoded(encodedKey), decoded(encodedValue)];
    if (key === null || value === null || key === "" || rest.length > 0)
      return "Give tags as key=value&key=value, and percent-encode other characters.";
    if (key.length > MAX_TAG_KEY_CHARACTERS) return `A tag's key has at most ${MAX_TAG_KEY_CHARACTERS} characters.`;
    if (value.length > MAX_TAG_VALUE_CHARACTERS)
      return `A tag's value has at most ${MAX_TAG_VALUE_CHARACTERS} characters.`;
    if (keys.has(key)) return "Each tag's key may occur once.";
    keys.add(key);
  }
  return null;
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
};
