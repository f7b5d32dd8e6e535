import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { startDifficultStore, startEmptyTable, startSilentServer } from "./difficult-store.ts";
import { LOCAL_S3, LOCAL_S3_PATH, type LocalS3, startLocalS3 } from "./local-s3.ts";
import { type SinkAnswer, type SinkRequest, startSinkS3 } from "./sink-s3.ts";
import { startOnConnection } from "./start-on-connection.ts";

/** Address and keys of the customer's bucket for tests in workerd. It is a real S3 store on this machine. */
export type CustomerBucket = Pick<LocalS3, "endpointUrl" | "bucketName" | "region" | "accessKeyId" | "secretAccessKey">;

declare module "vitest" {
  interface ProvidedContext {
    /** `inject("customerBucket")` */
    customerBucket: CustomerBucket;
    /** A store that answers as AWS does to an unknown access key; the local store uses another error code. */
    unknownKeyEndpoint: string;
    /** A store in memory that accepts every request and every option of objects; the local store refuses ACLs. */
    sinkEndpoint: string;
    /** The same, but its bucket's policy wants each object readable for the bucket's owner. */
    ownerReadsEndpoint: string;
    /** A store that answers as the first folder of the key says: test/support/difficult-store.ts. */
    difficultEndpoint: string;
    /** A store whose only bucket is `Old_Bucket`. */
    capitalEndpoint: string;
    /** A table without rows; the user `slow` waits for each answer. */
    emptyTableUrl: string;
    /** Accepts connections and never answers. */
    silentEndpoint: string;
    /** A real authorization server: test/support/oauth-provider.ts. */
    oauthIssuer: string;
    /** Answers "late" after four seconds, when a lease of memory that is not renewed has expired. */
    slowEndpoint: string;
  }
}

/**
 * Provides the servers of the tests in workerd and stops them after the last test. All files of a run share them. Those
 * that take long to start do so when a test first connects.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bucket = await startOnConnection(async () => {
    const { endpointUrl, stop } = await startLocalS3();
    return { port: Number(new URL(endpointUrl).port), stop };
  });
  const endpointUrl = `http://127.0.0.1:${bucket.port}${LOCAL_S3_PATH}`;
  project.provide("customerBucket", { ...LOCAL_S3, endpointUrl });
  const oauth = await startOnConnection(async (origin) => {
    const { startOAuthProvider } = await import("./oauth-provider.ts");
    return startOAuthProvider(origin);
  });
  project.provide("oauthIssuer", `http://127.0.0.1:${oauth.port}`);
  const keyless = await startSinkS3({ hook: () => UNKNOWN_KEY });
  project.provide("unknownKeyEndpoint", keyless.endpointUrl);
  const sink = await startSinkS3({ bucketName: LOCAL_S3.bucketName });
  project.provide("sinkEndpoint", sink.endpointUrl);
  const ownerReads = await startSinkS3({ bucketName: LOCAL_S3.bucketName, hook: refuseWithoutAcl });
  project.provide("ownerReadsEndpoint", ownerReads.endpointUrl);
  const difficult = await startDifficultStore(LOCAL_S3.bucketName);
  project.provide("difficultEndpoint", difficult.endpointUrl);
  const capital = await startSinkS3({ bucketName: "Old_Bucket" });
  project.provide("capitalEndpoint", capital.endpointUrl);
  const emptyTable = await startEmptyTable();
  project.provide("emptyTableUrl", emptyTable.endpointUrl);
  const silent = await startSilentServer();
  project.provide("silentEndpoint", silent.endpointUrl);
  const slow = createServer((_request, response) => setTimeout(() => response.end("late"), 4000));
  slow.listen(0, "127.0.0.1");
  await once(slow, "listening");
  project.provide("slowEndpoint", `http://127.0.0.1:${(slow.address() as AddressInfo).port}`);
  return async () => {
    slow.close();
    const servers = [bucket, keyless, sink, ownerReads, difficult, capital, emptyTable, silent, oauth];
    await Promise.all(servers.map((server) => server.stop()));
  };
}

const refuseWithoutAcl = ({ method, query, headers }: SinkRequest): SinkAnswer | null => {
  const beginsObject = (method === "PUT" && !query.has("uploadId")) || query.has("uploads");
  return beginsObject && headers["x-amz-acl"] !== "bucket-owner-full-control" ? DENIED : null;
};

const DENIED = { status: 403, body: "<Error><Code>AccessDenied</Code><Message>denied</Message></Error>" } as const;

const UNKNOWN_KEY = {
  status: 403,
  body: "<Error><Code>InvalidAccessKeyId</Code><Message>unknown</Message></Error>",
} as const;
