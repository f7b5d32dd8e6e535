import { expect, inject, it } from "vitest";
import { workspace } from "../../../durable/protocol/actors.ts";
import { MARK } from "../../support/secrets/mark.ts";
import { definitionOf, newWorkspace, noisyRun, untilEnded } from "../exporting.ts";
import { env, ingest } from "../traces.ts";

const NO_OPTIONS = { storageClass: null, serverSideEncryption: null, kmsKeyId: null, tagging: null };

const destinationOf = (acl: string) => ({
  id: crypto.randomUUID(),
  displayName: "bucket",
  config: {
    bucketName: inject("customerBucket").bucketName,
    prefix: "owner-reads",
    region: null,
    endpointUrl: inject("ownerReadsEndpoint"),
    includeBucketInPrefix: false,
    objectOptions: { ...NO_OPTIONS, acl },
  },
  credentials: { accessKeyId: "AKIAOTHER", secretAccessKey: MARK, sessionToken: null },
});

it("every object of an export is written with the options of its destination, files in parts included", async () => {
  const home = await newWorkspace();
  await ingest(home, noisyRun(9), noisyRun(9));
  const destination = destinationOf("bucket-owner-full-control");
  const created = await workspace(env, home.tenantId).createDestination(destination);
  expect(created).toMatchObject({ ok: true, value: { check: { steps: { multipart_create: "passed" } } } });
  const definition = definitionOf(home, { destinationId: destination.id });
  await workspace(env, home.tenantId).createExport(definition);
  expect(await untilEnded(home.tenantId, definition.id)).toMatchObject({ status: "COMPLETED" });
});

it("the check of a destination uses its options: without the ACL that the bucket's owner wants it fails", async () => {
  const home = await newWorkspace();
  const created = await workspace(env, home.tenantId).createDestination(destinationOf("private"));
  expect(created).toMatchObject({ ok: false, failure: { store: { code: "AccessDenied" } } });
});
