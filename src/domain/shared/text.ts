/** Text that cannot break a header, a log line or a key: no control characters, no broken UTF-16. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
export const isCleanText = (text: string): boolean => text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text);
