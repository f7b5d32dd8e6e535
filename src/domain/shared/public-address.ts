import { fail, ok, type Result } from "./result.ts";

/** Addresses from customers. They are untrusted input, because the service sends requests there. */

const PATH = /^(?:\/[A-Za-z0-9._~-]+)*\/?$/;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Top-level names without public services: reserved ones (RFC 6761, 6762, 8375), and those of private networks. */
const PRIVATE_DOMAINS = new Set(
  "localhost local localdomain internal intranet private corp home lan svc arpa test example invalid onion".split(" "),
);

/** Lower ports belong to system services such as mail and remote shells. */
const MIN_CUSTOM_PORT = 1024;

/**
 * The origin and path of the address, without a trailing slash; it does not lead to a private network. A failure says
 * what to correct. `member`: the name under which the address was sent.
 */
export function publicAddress(
  text: string,
  {
    member,
    example,
    allowLoopback,
  }: { readonly member: string; readonly example: string; readonly allowLoopback: boolean },
): Result<string, string> {
  // The parser also normalizes every spelling of an IP address (decimal, octal, hexadecimal, full-width).
  const url = URL.parse(text);
  if (url === null) return fail(`Give ${member} as a full URL, for example ${example}.`);
  if (url.username !== "" || url.password !== "")
    return fail(`Remove user name and password from ${member}; credentials have their own fields.`);
  if (text.includes("?") || text.includes("#")) return fail(`Remove everything from ? or # on in ${member}.`);
  if (!PATH.test(url.pathname)) return fail(`Use only letters, digits and -._~ in the path of ${member}.`);
  const accepted = `${url.origin}${url.pathname.replace(/\/$/, "")}`;
  if (allowLoopback && LOOPBACK.test(url.hostname) && isWeb(url)) return ok(accepted);
  if (url.protocol !== "https:")
    return fail(`Use https in ${member}${allowLoopback ? ", or this machine, such as http://127.0.0.1" : ""}.`);
  if (!isPublicName(url.hostname))
    return fail(`Give ${member} a public host name: no IP address and no name of a private network.`);
  if (url.port !== "" && Number(url.port) < MIN_CUSTOM_PORT)
    return fail(`Use port 443 or one from ${MIN_CUSTOM_PORT} on in ${member}.`);
  return ok(accepted);
}

const isWeb = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:";

const isPublicName = (hostname: string): boolean => {
  if (hostname.startsWith("[") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(hostname)) return false;
  // A trailing dot makes the name fully qualified.
  const labels = hostname.replace(/\.$/, "").split(".");
  const top = labels.at(-1) ?? "";
  if (labels.length < 2 || labels.includes("")) return false;
  // Cloud providers serve instance metadata at names such as metadata.goog and metadata.tencentyun.com.
  return !PRIVATE_DOMAINS.has(top) && labels[0] !== "metadata";
};
