import { AwsClient } from "aws4fetch";
import { inject } from "vitest";
import { destination, workspace } from "../../durable/protocol/actors.ts";
import type { ExportDefinition, ExportRecord } from "../../src/domain/export/records.ts";
import { objectUrl } from "../../src/s3/address.ts";
import { openS3Store } from "../../src/s3/client.ts";
import type { Store } from "../../src/store/store.ts";
import { env, newId, post, type TestProject, WHOLE_DAY } from "./traces.ts";

/** Exports into the real local bucket, requested as HTTP does. */

export interface TestWorkspace extends TestProject {
  readonly destinationId: string;
  readonly prefix: string;
}

const credentials = () => {
  const { accessKeyId, secretAccessKey } = inject("customerBucket");
  return { accessKeyId, secretAccessKey, sessionToken: null };
};

const configOf = (prefix: string) => {
  const { bucketName, region, endpointUrl } = inject("customerBucket");
  return { bucketName, prefix, region, endpointUrl, includeBucketInPrefix: false };
};

/** A workspace with a project and a destination below a prefix of its own. */
export async function newWorkspace(): Promise<TestWorkspace> {
  const tenantId = crypto.randomUUID();
  const home = workspace(env, tenantId);
  await home.create({ id: tenantId, name: "test", plan: "enterprise" });
  const [project] = await home.resolveProjects([{ name: "demo" }]);
  const prefix = `durable/${tenantId}`;
  const destinationId = await newDestination(tenantId, prefix);
  if (!project?.ok) throw new Error("the workspace was not made");
  return { tenantId, project: project.value, destinationId, prefix };
}

/** Id of a new destination of the workspace. */
export async function newDestination(tenantId: string, prefix: string): Promise<string> {
  const id = crypto.randomUUID();
  const command = { id, displayName: "bucket", config: configOf(prefix), credentials: credentials() };
  const created = await workspace(env, tenantId).createDestination(command);
  if (!created.ok) throw new Error("the destination was not made");
  return id;
}

export const definitionOf = (home: TestWorkspace, changes: Partial<ExportDefinition> = {}): ExportDefinition => ({
  id: crypto.randomUUID(),
  tenantId: home.tenantId,
  destinationId: home.destinationId,
  projectId: home.project.id,
  ...WHOLE_DAY,
  intervalHours: null,
  catchUp: null,
  filter: null,
  exportFields: null,
  formatVersion: "v1",
  compression: "zstandard",
  sourceExportId: null,
  retryOfRunId: null,
  createdAt: Date.now(),
  ...changes,
});

/** Waits until the export has a final status; its alarms run on their own. */
export async function untilEnded(tenantId: string, id: string): Promise<ExportRecord> {
  for (;;) {
    const found = await workspace(env, tenantId).export(id);
    if (!found.ok) throw new Error(`the export is unknown: ${found.failure.reason}`);
    if (found.value.finishedAt !== null) return found.value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A run whose inputs are `megabytes` of text that does not compress. */
export function noisyRun(megabytes: number) {
  const noise = new Uint8Array(Math.round(megabytes * 750_000));
  for (let at = 0; at < noise.length; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536));
  const text = Buffer.from(noise).toString("base64");
  return post(newId(), { inputs: new TextEncoder().encode(JSON.stringify({ text })) });
}

/** The customer's bucket, through the adapter. */
export function customerStore(prefix: string): Store {
  const store = openS3Store(configOf(prefix), credentials(), { allowLoopback: true });
  if (!store.ok) throw new Error(store.failure.advice);
  return store.value;
}

/** An object of the customer's bucket, read with the customer's credentials; null when there is none. */
export async function customerObject(key: string): Promise<Uint8Array | null> {
  const { accessKeyId, secretAccessKey, region, endpointUrl, bucketName } = inject("customerBucket");
  const owner = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: 0 });
  const response = await owner.fetch(objectUrl({ base: `${endpointUrl}/${bucketName}/`, region }, key));
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.ok || response.status === 404) return response.ok ? bytes : null;
  throw new Error(`${key}: the store answered ${response.status}`);
}

export const forget = (tenantId: string, destinationId: string) => destination(env, destinationId).remove(tenantId);
