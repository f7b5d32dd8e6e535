import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { MARK } from "./secrets/mark.ts";

/** A real S3 store for tests: Cloudflare's local R2 with its S3 interface. It verifies signatures. */
export interface LocalS3 {
  readonly endpointUrl: string;
  readonly bucketName: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** All objects below the prefix by key, read without S3. */
  list(prefix?: string): Promise<readonly { readonly key: string; readonly bytes: number }[]>;
  /** An object's bytes, read without S3; null: there is none. */
  get(key: string): Promise<Uint8Array | null>;
  stop(): Promise<void>;
}

/** Name, region and key pair of each store. */
export const LOCAL_S3 = {
  bucketName: "customer-bucket",
  region: "auto",
  accessKeyId: "AKIALOCALTESTS000001",
  secretAccessKey: `${MARK}/with+signs=0001`,
} as const;

/** Path of the S3 interface at the store's origin. */
export const LOCAL_S3_PATH = "/cdn-cgi/local/r2/s3";

/** Starts a store with one empty bucket on a free port of 127.0.0.1; takes about half a second. */
export async function startLocalS3(): Promise<LocalS3> {
  const { bucketName, accessKeyId, secretAccessKey } = LOCAL_S3;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "s3",
      modules: true,
      compatibilityDate: "2026-11-01",
      script: `export default { fetch: () => new Response("S3 is below ${LOCAL_S3_PATH}") }`,
      host: "127.0.0.1",
      port: 0,
      cf: false,
      r2Buckets: { CUSTOMER: { id: bucketName, s3Credentials: { accessKeyId, secretAccessKey } } },
    }),
  );
  const url = await miniflare.ready;
  const bucket = await miniflare.getR2Bucket("CUSTOMER");
  return {
    ...LOCAL_S3,
    endpointUrl: `${url.origin}${LOCAL_S3_PATH}`,
    async list(prefix = "") {
      const found: { key: string; bytes: number }[] = [];
      let cursor: string | undefined;
      do {
        const page = await bucket.list(cursor === undefined ? { prefix } : { prefix, cursor });
        found.push(...page.objects.map((object) => ({ key: object.key, bytes: object.size })));
        cursor = page.truncated ? page.cursor : undefined;
      } while (cursor !== undefined);
      return found;
    },
    async get(key) {
      const object = await bucket.get(key);
      return object === null ? null : new Uint8Array(await object.arrayBuffer());
    },
    stop: () => miniflare.dispose(),
  };
}
