/** Half a character, for which `JSON.stringify` writes an escape; a backslash that is itself escaped begins none. */
const HALF_A_CHARACTER = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * JSON that `JSON.stringify` wrote, for readers of a file: each half of a character is U+FFFD, as in every text in
 * UTF-8. Many engines refuse a whole query for one such escape.
 */
export const wellFormedJson = (json: string): string => json.replace(HALF_A_CHARACTER, "$1\ufffd");
