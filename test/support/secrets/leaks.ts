import { MARK } from "./mark.ts";

/** What the product said, searched for secrets. A secret that it makes itself has a form, or is made known here. */

const API_KEY = /wbk_[0-9a-f]{32}_[\w-]{43}/;

/** The mark in base64, wherever in the encoded bytes it begins: the characters that no neighbour has a part in. */
const IN_BASE64 = [0, 1, 2].map((before) =>
  btoa("\0".repeat(before) + MARK).slice(Math.ceil((before * 4) / 3), Math.floor(((before + MARK.length) * 4) / 3)),
);

const known = new Set<string>();
const leaks: string[] = [];

/** From now on these are secrets, too. */
export const keepSecret = (...secrets: readonly string[]): void => {
  for (const secret of secrets) known.add(secret);
};

/** Whether the tests would find this secret. */
export const isFindable = (secret: string): boolean => [MARK, ...known].some((part) => secret.includes(part));

/** Remembers it when the text holds a secret. `where`: what the text is, for the message of the test that fails. */
export const search = (text: string, where: string): void => {
  const isLeak = API_KEY.test(text) || [MARK, ...IN_BASE64, ...known].some((secret) => text.includes(secret));
  if (isLeak) leaks.push(`a secret in ${where}`);
};

/** What was found since the last call. */
export const takeLeaks = (): readonly string[] => leaks.splice(0);
