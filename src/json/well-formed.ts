/** A lone surrogate as `JSON.stringify` writes it; a backslash that is itself escaped begins no escape. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * JSON of `JSON.stringify` with U+FFFD in place of lone surrogates, as in all text in UTF-8. Many engines fail a whole
 * query for one such escape.
 */
export const wellFormedJson = (json: string): string => json.replace(LONE_SURROGATE, "$1\ufffd");
