import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Address and credentials of the customer's bucket, with the member names of waybill.json. */
export interface BucketAddress {
  readonly endpoint_url: string;
  readonly bucket_name: string;
  readonly region: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
}

/** Path of the S3 endpoint of wrangler's local R2. */
const S3_PATH = "/cdn-cgi/local/r2/s3";

/** The bucket of dev/bucket.toml if the service listens at `url`. */
export const localBucket = (url: string): BucketAddress => {
  const toml = readFileSync(join(import.meta.dirname, "bucket.toml"), "utf8");
  return {
    endpoint_url: `${url}${S3_PATH}`,
    bucket_name: textOf(toml, "bucket_name"),
    region: "auto",
    access_key_id: textOf(toml, "accessKeyId"),
    secret_access_key: textOf(toml, "secretAccessKey"),
  };
};

const textOf = (toml: string, name: string): string => {
  const found = new RegExp(`^${name} = "([^"]+)"$`, "m").exec(toml)?.[1];
  if (found === undefined) throw new Error(`dev/bucket.toml has no ${name}`);
  return found;
};
