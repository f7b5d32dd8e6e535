import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { MARK } from "./secrets/mark.ts";

/** A real S3 store for tests: Cloudflare's R2 as it runs locally, reached over its S3 interface. Verifies signatures. */
export interface LocalS3 {
  readonly endpointUrl: string;
  readonly bucketName: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Every object below the prefix, by key, read beside S3. */
  list(prefix?: string): Promise<readonly { readonly key: string; readonly bytes: number }[]>;
  /** An object's bytes, read beside S3; null when there is none. */
  get(key: string): Promise<Uint8Array | null>;
  stop(): Promise<void>;
}

/** Starts a store with one empty bucket on a free port of 127.0.0.1; takes about half a second. */
export async function startLocalS3(bucketName = "customer-bucket"): Promise<LocalS3> {
  const accessKeyId = "AKIALOCALTESTS000001";
  const secretAccessKey = `${MARK}/with+signs=0001`;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "s3",
      modules: true,
      compatibilityDate: "2026-11-01",
      script: 'export default { fetch: () => new Response("S3 is below /cdn-cgi/local/r2/s3") }',
      host: "127.0.0.1",
      port: 0,
      cf: false,
      r2Buckets: { CUSTOMER: { id: bucketName, s3Credentials: { accessKeyId, secretAccessKey } } },
    }),
  );
  const { port } = await miniflare.ready;
  const bucket = await miniflare.getR2Bucket("CUSTOMER");
  return {
    endpointUrl: `http://127.0.0.1:${port}/cdn-cgi/local/r2/s3`,
    bucketName,
    region: "auto",
    accessKeyId,
    secretAccessKey,
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
