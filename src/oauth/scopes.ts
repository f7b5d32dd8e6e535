/** A scope of RFC 6749, 3.3: visible ASCII without quotation mark and backslash. */
export const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;

export const MAX_SCOPES = 100;

/**
 * The scopes that a provider says it granted; when it says nothing, those that were asked for (RFC 6749, 5.1). Spaces
 * separate them, at some providers commas (GitHub), which may also be signs of a scope.
 */
export function scopesOf(said: string | undefined, asked: readonly string[]): readonly string[] {
  if (said === undefined) return asked;
  const words = said.split(" ").flatMap((word) => (asked.includes(word) ? [word] : word.split(",")));
  const scopes = words.filter((scope) => SCOPE.test(scope));
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}
