/** A lone surrogate as `JSON.stringify` writes it; a backslash that is itself escaped begins no escape. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * Output of `JSON.stringify` with U+FFFD in place of lone surrogates, as in all UTF-8 text. Many engines fail a whole
 * query because of one such escape.
 */
export const wellFormedJson = (json: string): string => json.replace(LONE_SURROGATE, "$1\ufffd");
