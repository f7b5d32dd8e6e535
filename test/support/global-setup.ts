import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { type LocalS3, startLocalS3 } from "./local-s3.ts";
import { startOAuthProvider } from "./oauth-provider.ts";
import { startSinkS3 } from "./sink-s3.ts";

/** How tests in workerd reach the customer's bucket, which is a real S3 store on this machine. */
export type CustomerBucket = Pick<LocalS3, "endpointUrl" | "bucketName" | "region" | "accessKeyId" | "secretAccessKey">;

declare module "vitest" {
  interface ProvidedContext {
    /** `inject("customerBucket")` */
    customerBucket: CustomerBucket;
    /** A store that knows no access key at all, as AWS says it; the local store has another word for it. */
    unknownKeyEndpoint: string;
    /** A real authorization server; test/support/oauth-provider.ts says what it knows. */
    oauthIssuer: string;
    /** Answers "late" after four seconds: longer than a lease of memory lasts that is not renewed. */
    slowEndpoint: string;
  }
}

/** Starts the stores before the first test of the project and stops them after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { endpointUrl, bucketName, region, accessKeyId, secretAccessKey, stop } = await startLocalS3();
  project.provide("customerBucket", { endpointUrl, bucketName, region, accessKeyId, secretAccessKey });
  const oauth = await startOAuthProvider();
  project.provide("oauthIssuer", oauth.issuer);
  const keyless = await startSinkS3({ hook: () => UNKNOWN_KEY });
  project.provide("unknownKeyEndpoint", keyless.endpointUrl);
  const slow = createServer((_request, response) => setTimeout(() => response.end("late"), 4000));
  await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
  project.provide("slowEndpoint", `http://127.0.0.1:${(slow.address() as AddressInfo).port}`);
  return async () => {
    slow.close();
    await Promise.all([stop(), keyless.stop(), oauth.stop()]);
  };
}

const UNKNOWN_KEY = {
  status: 403,
  body: "<Error><Code>InvalidAccessKeyId</Code><Message>unknown</Message></Error>",
} as const;
