import { MARK } from "./mark.ts";

/** Searches the output of the product for secrets. Secrets that the product generates have a known form or are added here. */

const API_KEY = /wbk_[0-9a-f]{32}_[\w-]{43}/;

/** The mark in base64 at each of the three alignments, without characters that depend on neighbouring bytes. */
const IN_BASE64 = [0, 1, 2].map((before) =>
  btoa("\0".repeat(before) + MARK).slice(Math.ceil((before * 4) / 3), Math.floor(((before + MARK.length) * 4) / 3)),
);

const known = new Set<string>();
const leaks: string[] = [];

/** Adds secrets to search for. */
export const addSecrets = (...secrets: readonly string[]): void => {
  for (const secret of secrets) known.add(secret);
};

/** Whether the search would find this secret. */
export const isFindable = (secret: string): boolean => [MARK, ...known].some((part) => secret.includes(part));

/** Records a leak if the text contains a secret. `where`: source of the text, for the message of the failing test. */
export const search = (text: string, where: string): void => {
  const isLeak = API_KEY.test(text) || [MARK, ...IN_BASE64, ...known].some((secret) => text.includes(secret));
  if (isLeak) leaks.push(`a secret in ${where}`);
};

/** The leaks since the last call. */
export const takeLeaks = (): readonly string[] => leaks.splice(0);
