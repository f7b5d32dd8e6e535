/** A scope (RFC 6749, 3.3): visible ASCII without quotation mark and backslash. */
export const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;

export const MAX_SCOPES = 100;

/**
 * The granted scopes: those in the provider's answer, or the requested ones if the answer names none (RFC 6749, 5.1).
 * Scopes are separated by spaces, by GitHub with commas. A comma in a requested scope is part of the scope.
 */
export function scopesOf(granted: string | undefined, requested: readonly string[]): readonly string[] {
  if (granted === undefined) return requested;
  const words = granted.split(" ").flatMap((word) => (requested.includes(word) ? [word] : word.split(",")));
  const scopes = words.filter((scope) => SCOPE.test(scope));
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}
