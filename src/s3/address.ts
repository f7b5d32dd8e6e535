import { BUCKET_NAME_RULE, isBucketName } from "../domain/destination/bucket-name.ts";
import { keyPrefixOf, prefixProblem } from "../domain/destination/layout.ts";
import type { DestinationConfig } from "../domain/destination/records.ts";
import type { StoreFailure } from "../domain/shared/failures.ts";
import { publicAddress } from "../domain/shared/public-address.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { configurationFailure } from "../store/failures.ts";

/** Address of a bucket: the URL that keys are appended to, and the region that requests are signed for. */
export interface BucketAddress {
  /** Ends with a slash. */
  readonly base: string;
  readonly region: string;
}

/** Region for stores without regions; R2 and Google Cloud Storage expect this value. */
const REGION_OF_OTHERS = "auto";

/** Its endpoint names the region of a bucket that is elsewhere. */
const FIRST_REGION_OF_AWS = "us-east-1";

/** A name that can be part of a host name: the wildcard certificate of AWS does not cover a dot. */
const HOST_LABEL = /^[a-z0-9-]+$/;

const REGION = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The address of a destination's bucket. The configuration is untrusted: it must not lead a request to a private
 * network or change the meaning of a URL.
 */
export function addressOf(
  config: DestinationConfig,
  options: { readonly allowLoopback: boolean },
): Result<BucketAddress, StoreFailure> {
  if (!isBucketName(config.bucketName)) {
    return fail(configurationFailure("bucket_not_valid", `Give as bucket_name ${BUCKET_NAME_RULE}.`));
  }
  const problem = prefixProblem(keyPrefixOf(config));
  if (problem !== null) return fail(configurationFailure("bucket_not_valid", problem));
  if (config.region !== null && !REGION.test(config.region)) {
    return fail(invalid("Give config.region as the store names it, for example eu-central-1."));
  }
  if (config.endpointUrl === null) return ok(addressOnAws(config.bucketName, config.region ?? FIRST_REGION_OF_AWS));

  const endpoint = publicAddress(config.endpointUrl, {
    member: "endpoint_url",
    example: "https://s3.example.com",
    allowLoopback: options.allowLoopback,
  });
  if (!endpoint.ok) return fail(invalid(endpoint.failure));
  return ok({ base: `${endpoint.value}/${config.bucketName}/`, region: config.region ?? REGION_OF_OTHERS });
}

/**
 * URL of an object. All characters except `A-Za-z0-9-_.~/` are percent-encoded: the signer signs this form, and R2 uses
 * the path as sent. Throws for a key with a folder `.` or `..`, which no URL can address; `addressOf` refuses such
 * prefixes.
 */
export function objectUrl(address: BucketAddress, key: string, query: Readonly<Record<string, string>> = {}): string {
  const segments = key.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) throw new Error("key has a dot folder");
  const path = segments.map(encoded).join("/");
  const search = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return `${address.base}${path}${search.length > 0 ? "?" : ""}${search.join("&")}`;
}

const addressOnAws = (bucketName: string, region: string): BucketAddress => {
  const host = `s3.${region.toLowerCase()}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  // Every region stays below amazonaws.com: REGION allows no dot and no slash.
  const base = HOST_LABEL.test(bucketName) ? `https://${bucketName}.${host}/` : `https://${host}/${bucketName}/`;
  return { base, region };
};

const invalid = (advice: string): StoreFailure => configurationFailure("invalid_endpoint", advice);

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
