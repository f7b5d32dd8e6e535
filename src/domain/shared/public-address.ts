import { fail, ok, type Result } from "./result.ts";

/** Where a customer says that something of his is: hostile, since the service itself goes there. */

const PATH = /^(?:\/[A-Za-z0-9._~-]+)*\/?$/;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Names that never lead to a public service: reserved ones (RFC 6761, 6762, 8375), and those of private networks. */
const PRIVATE_DOMAINS = new Set(
  "localhost local localdomain internal intranet private corp home lan svc arpa test example invalid onion".split(" "),
);

/** Below are the ports of system services: mail, remote shells and the like. */
const MIN_CUSTOM_PORT = 1024;

/**
 * The address as an origin with its path, without a slash at the end; nothing in it leads to a private network. A
 * failure is what to correct, `member` being the name under which the address was sent.
 */
export function publicAddress(
  text: string,
  {
    member,
    example,
    allowLoopback,
  }: { readonly member: string; readonly example: string; readonly allowLoopback: boolean },
): Result<string, string> {
  // The parser also brings every spelling of an IP address (decimal, octal, hexadecimal, full-width) into one form.
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
  // One dot at the end is the same name, fully qualified.
  const labels = hostname.replace(/\.$/, "").split(".");
  const top = labels.at(-1) ?? "";
  if (labels.length < 2 || labels.includes("")) return false;
  // Instance metadata is at metadata.goog, metadata.tencentyun.com and the like.
  return !PRIVATE_DOMAINS.has(top) && labels[0] !== "metadata";
};
