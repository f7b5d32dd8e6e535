/** Whether the text has no control characters and no broken UTF-16, so that it is safe in a header, a log line or a key. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
export const isCleanText = (text: string): boolean => text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text);
