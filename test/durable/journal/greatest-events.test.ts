import { expect, it } from "vitest";
import { MAX_EVENT_BYTES } from "../../../durable/journal/event-log.ts";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { ALL_FIELDS } from "../../../src/domain/run/fields.ts";
import { MAX_WINDOW_DAYS } from "../../../src/domain/shared/limits.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import { MAX_FILTER_LENGTH } from "../../../src/filter/limits.ts";
import { config, NOW, planOf } from "../../support/samples.ts";

const bytesOf = (event: ExportEvent): number => new TextEncoder().encode(JSON.stringify(event)).length;

/** Characters of customer text that take the most bytes in an event: six, two and three. */
const FILTER = "\u0001".repeat(MAX_FILTER_LENGTH);
const DESTINATION = {
  bucketName: "b".repeat(63),
  prefix: '"'.repeat(768),
  region: "r".repeat(64),
  endpointUrl: "\u5ba2".repeat(2048),
  includeBucketInPrefix: true,
  objectOptions: {
    acl: "bucket-owner-full-control",
    storageClass: "S".repeat(64),
    serverSideEncryption: "aws:kms:dsse",
    kmsKeyId: "k".repeat(2048),
    tagging: "t".repeat(4096),
  },
};

it("the event of the longest export with the longest filter fits into a log", () => {
  const start = NOW + 1;
  const end = start + MAX_WINDOW_DAYS * DAY_MS;
  const plan = planOf({ start, end, filter: FILTER, exportFields: ALL_FIELDS, retryOfRunId: crypto.randomUUID() });
  expect(plan.partitions).toHaveLength(MAX_WINDOW_DAYS + 1);
  const bytes = bytesOf({
    type: "ExportCreated",
    plan: { ...plan, destination: { ...config, ...DESTINATION } },
    at: NOW,
  });
  expect(bytes).toBeLessThan(MAX_EVENT_BYTES);
});
