import { afterEach } from "vitest";
import type { Result } from "../../src/domain/shared/result.ts";
import { openS3Store } from "../../src/s3/client.ts";
import type { Store } from "../../src/store/store.ts";
import { MARK } from "../support/secrets/mark.ts";
import { type SinkOptions, type SinkS3, startSinkS3 } from "../support/sink-s3.ts";

/** S3 servers with answers given by the test, and the adapter opened on them. */

export const text = (content: string) => new TextEncoder().encode(content);

/** The body of an S3 error. */
export const error = (code: string, rest = "") => `<?xml version="1.0"?><Error><Code>${code}</Code>${rest}</Error>`;

export const value = <T>(result: Result<T, unknown>): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
};

export const storeAt = (endpointUrl: string, bucketName: string, timeoutMs = 5_000): Store =>
  value(
    openS3Store(
      { bucketName, prefix: "", region: null, endpointUrl, includeBucketInPrefix: false },
      { accessKeyId: "AKIASINK", secretAccessKey: MARK, sessionToken: null },
      { allowLoopback: true, timeoutMs },
    ),
  );

/** Starts servers that are stopped after the test. */
export const useSinks = () => {
  const started: { stop(): Promise<void> }[] = [];

  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.stop()));
  });

  const sinkWith = async (options: SinkOptions, timeoutMs?: number): Promise<{ sink: SinkS3; store: Store }> => {
    const sink = await startSinkS3(options);
    started.push(sink);
    return { sink, store: storeAt(sink.endpointUrl, sink.bucketName, timeoutMs) };
  };

  return { sinkWith, stopLater: (server: { stop(): Promise<void> }) => started.push(server) };
};
