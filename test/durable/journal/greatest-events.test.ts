import { expect, it } from "vitest";
import { MAX_EVENT_BYTES } from "../../../durable/journal/event-log.ts";
import { MAX_DAYS_PER_CHECK } from "../../../src/domain/export/days.ts";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { ALL_FIELDS } from "../../../src/domain/run/fields.ts";
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

it("the event of an export of any range with the longest filter fits into a log", () => {
  const end = Date.parse("2254-12-31T23:59:59.999Z") * 1000;
  const plan = planOf({ start: 0, end, filter: FILTER, exportFields: ALL_FIELDS, retryOfRunId: crypto.randomUUID() });
  const bytes = bytesOf({
    type: "ExportCreated",
    plan: { ...plan, destination: { ...config, ...DESTINATION } },
    at: NOW,
  });
  expect(bytes).toBeLessThan(MAX_EVENT_BYTES);
});

it("the event of the days that one check finds fits into a log", () => {
  const withRows = Array.from({ length: MAX_DAYS_PER_CHECK }, (_, i) => 3_000_000 + i);
  const bytes = bytesOf({ type: "DaysChecked", from: 2_999_999, upto: 3_100_000, withRows, at: NOW });
  expect(bytes).toBeLessThan(MAX_EVENT_BYTES);
});
