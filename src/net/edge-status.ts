/**
 * Statuses with which Cloudflare's edge itself answers a `fetch`, when there is no such name, nobody connects, or the
 * certificate is not valid (Cloudflare: 5xx errors). Everywhere else `fetch` throws then.
 */
export const UNREACHED = [520, 530] as const;

export const isUnreached = (status: number): boolean => UNREACHED[0] <= status && status <= UNREACHED[1];
