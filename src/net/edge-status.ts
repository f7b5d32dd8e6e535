/**
 * Range of statuses with which Cloudflare's edge answers a `fetch` if the host name does not resolve, the connection
 * fails or the certificate is not valid (Cloudflare: 5xx errors). On other platforms `fetch` throws instead.
 */
export const UNREACHED = [520, 530] as const;

/** Whether the status means that the request did not reach the server. */
export const isUnreached = (status: number): boolean => UNREACHED[0] <= status && status <= UNREACHED[1];
