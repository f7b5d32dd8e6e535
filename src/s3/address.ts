import type { StoreFailure } from "../domain/failures.ts";
import { prefixProblem } from "../domain/layout.ts";
import type { DestinationConfig } from "../domain/records.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { configurationFailure } from "./failures.ts";

/** Where a bucket is: the URL its keys are appended to, and the region that requests are signed for. */
export interface BucketAddress {
  /** Ends with a slash. */
  readonly base: string;
  readonly region: string;
}

/** What stores without regions are signed for; R2 and Google Cloud Storage want this word. */
const REGION_WITHOUT_REGIONS = "auto";

/** Also kept from a name that would change the URL it is put into. Upper case and `_`: old buckets and other stores. */
const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;

/** A dot would leave the wildcard certificate of AWS, upper case the host name. */
const NAME_OF_A_HOST = /^[a-z0-9-]+$/;

const REGION = /^[A-Za-z0-9_-]{1,64}$/;

const ENDPOINT_PATH = /^(?:\/[A-Za-z0-9._~-]+)*\/?$/;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Names that never lead to a public store: reserved ones (RFC 6761, 6762, 8375), and those of private networks. */
const PRIVATE_DOMAINS = new Set(
  "localhost local localdomain internal intranet private corp home lan svc arpa test example invalid onion".split(" "),
);

/** Below are the ports of system services: mail, remote shells and the like. */
const LEAST_CUSTOM_PORT = 1024;

/**
 * Finds the address of a destination's bucket. The configuration is a customer's, so hostile: nothing in it may lead
 * a request to a private network or change the meaning of a URL.
 */
export function addressOf(
  config: DestinationConfig,
  options: { readonly allowLoopback: boolean },
): Result<BucketAddress, StoreFailure> {
  if (!BUCKET_NAME.test(config.bucketName)) {
    return fail(
      configurationFailure("bucket_not_valid", "Give bucket_name as 3 to 63 letters, digits, dots and hyphens."),
    );
  }
  const problem = prefixProblem(config.prefix);
  if (problem !== null) return fail(configurationFailure("bucket_not_valid", problem));
  if (config.region !== null && !REGION.test(config.region)) {
    return fail(invalid("Give config.region as the store names it, for example eu-central-1."));
  }
  if (config.endpointUrl === null) return addressOnAws(config.bucketName, config.region);

  const endpoint = checkedEndpoint(config.endpointUrl, options.allowLoopback);
  if (!endpoint.ok) return endpoint;
  return ok({ base: `${endpoint.value}/${config.bucketName}/`, region: config.region ?? REGION_WITHOUT_REGIONS });
}

/**
 * URL of an object. All but `A-Za-z0-9-_.~/` is percent-encoded: the signer signs it so, and R2 takes the path as sent.
 * Throws for a key with a folder `.` or `..`, which no URL can address; `addressOf` refuses such prefixes.
 */
export function objectUrl(address: BucketAddress, key: string, query: Readonly<Record<string, string>> = {}): string {
  const segments = key.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) throw new Error("key has a dot folder");
  const path = segments.map(encoded).join("/");
  const search = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return `${address.base}${path}${search.length > 0 ? "?" : ""}${search.join("&")}`;
}

const addressOnAws = (bucketName: string, region: string | null): Result<BucketAddress, StoreFailure> => {
  if (region === null) {
    return fail(invalid("Set config.region for a bucket on AWS, or endpoint_url for another store."));
  }
  const host = `s3.${region.toLowerCase()}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  // An underscore or another odd sign in a region cannot leave amazonaws.com: REGION allows no dot and no slash.
  const base = NAME_OF_A_HOST.test(bucketName) ? `https://${bucketName}.${host}/` : `https://${host}/${bucketName}/`;
  return ok({ base, region });
};

/** The endpoint as an origin with its path, without a slash at the end. */
const checkedEndpoint = (text: string, allowLoopback: boolean): Result<string, StoreFailure> => {
  // The parser also brings every spelling of an IP address (decimal, octal, hexadecimal, full-width) into one form.
  const url = URL.parse(text);
  if (url === null) return fail(invalid("Give endpoint_url as a full URL, for example https://s3.example.com."));
  if (url.username !== "" || url.password !== "") {
    return fail(invalid("Remove user name and password from endpoint_url; credentials have their own fields."));
  }
  if (text.includes("?") || text.includes("#"))
    return fail(invalid("Remove everything from ? or # on in endpoint_url."));
  if (!ENDPOINT_PATH.test(url.pathname)) {
    return fail(invalid("Use only letters, digits and -._~ in the path of endpoint_url."));
  }
  const accepted = `${url.origin}${url.pathname.replace(/\/$/, "")}`;
  if (allowLoopback && LOOPBACK.test(url.hostname) && isWeb(url)) return ok(accepted);
  if (url.protocol !== "https:") return fail(invalid("Use https in endpoint_url."));
  if (!isPublicName(url.hostname)) {
    return fail(invalid("Give endpoint_url a public host name: no IP address and no name of a private network."));
  }
  if (url.port !== "" && Number(url.port) < LEAST_CUSTOM_PORT) {
    return fail(invalid(`Use port 443 or one from ${LEAST_CUSTOM_PORT} on in endpoint_url.`));
  }
  return ok(accepted);
};

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

const invalid = (advice: string): StoreFailure => configurationFailure("invalid_endpoint", advice);

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
