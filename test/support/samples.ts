import type { DeploymentDefinition } from "../../src/domain/deployment/records.ts";
import type { CheckReport } from "../../src/domain/destination/check.ts";
import type { DestinationConfig } from "../../src/domain/destination/records.ts";
import type { LateSearch } from "../../src/domain/export/commands.ts";
import type { ExportEvent, ExportPlan } from "../../src/domain/export/events.ts";
import { partitionAt } from "../../src/domain/export/partitions.ts";
import type { ExportDefinition } from "../../src/domain/export/records.ts";
import type { CommittedFile, ExportRunSpec } from "../../src/domain/export-run/events.ts";
import type { TableSource } from "../../src/domain/project/clickhouse-binding.ts";
import type { StoreFailure } from "../../src/domain/shared/failures.ts";
import { LIMITS, type Limits } from "../../src/domain/shared/limits.ts";
import { ok } from "../../src/domain/shared/result.ts";

/** The time of the tests. In the future, so that no real alarm fires. */
export const NOW = Date.parse("2030-01-01T00:00:00.000Z");

export const HOUR_MS = 3_600_000;

/** The same in microseconds, as windows have. */
export const NOW_MICROS = NOW * 1000;
export const HOUR_MICROS = HOUR_MS * 1000;

export const config: DestinationConfig = {
  bucketName: "bucket",
  prefix: "traces",
  region: null,
  endpointUrl: "https://s3.example.com",
  includeBucketInPrefix: false,
};

/** A check that passed in a store of MD5s. */
export const check: CheckReport = {
  region: "auto",
  steps: {
    put: "passed",
    head: "passed",
    multipart_create: "passed",
    multipart_abort: "passed",
    delete: "passed",
    list: "passed",
  },
  etags: { put: "md5", multipart: "md5" },
};

export const definition: ExportDefinition = {
  id: "e0000000-0000-4000-8000-000000000001",
  tenantId: "a0000000-0000-4000-8000-000000000001",
  destinationId: "d0000000-0000-4000-8000-000000000001",
  projectId: "b0000000-0000-4000-8000-000000000001",
  start: Date.parse("2029-12-30T06:00:00.000Z") * 1000,
  end: NOW_MICROS,
  intervalHours: null,
  catchUp: null,
  filter: null,
  exportFields: null,
  formatVersion: "v1",
  compression: "zstandard",
  sourceExportId: null,
  retryOfRunId: null,
  createdAt: NOW,
};

/** A table of a customer's cluster. */
export const tableSource: TableSource = {
  url: "https://clickhouse.example.com",
  database: "default",
  table: "runs",
  user: "reader",
  project: "p",
  columns: {},
};

/** A deployment at the edge. */
export const deploymentDefinition: DeploymentDefinition = {
  id: "d",
  tenantId: "t",
  name: "agent",
  source: "internal_source",
  deploymentType: null,
  integrationId: null,
  repoUrl: null,
  listenerId: null,
  k8sNamespace: null,
  endpoint: "https://waybill.test",
  createdAt: NOW,
};

export function planOf(changes: Partial<ExportDefinition> = {}, limits: Partial<Limits> = {}): ExportPlan {
  const wanted = { ...definition, ...changes };
  return {
    definition: wanted,
    destination: config,
    shards: 1,
    limits: { ...LIMITS, ...limits },
  };
}

/** Both days of the sample export have rows. */
export const daysChecked: ExportEvent = { type: "DaysChecked", from: 0, upto: 2, withRows: [0, 1], at: NOW };

/** A search for late rows before the window that begins at `before`, without results. */
export const emptySearch = (before: number): LateSearch => ({
  before,
  windows: [],
  lastRegistration: 0,
  table: ok(null),
});

export function specOf(limits: Partial<Limits> = {}): ExportRunSpec {
  const plan = planOf({}, limits);
  const partition = partitionAt(plan.definition, 0);
  if (partition === null) throw new Error("the sample plan has a partition");
  return {
    runId: "f0000000-0000-4000-8000-000000000000",
    exportId: definition.id,
    tenantId: definition.tenantId,
    projectId: definition.projectId,
    shards: 1,
    destinationId: definition.destinationId,
    destination: config,
    partition,
    formatVersion: "v1",
    exportFields: null,
    filter: null,
    compression: "zstandard",
    limits: plan.limits,
    createdAt: NOW,
  };
}

export const fileOf = (ordinal: number, rows: number): CommittedFile => ({
  ordinal,
  key: `traces/${ordinal}.parquet`,
  rows,
  incompleteRows: 0,
  bytes: 450,
  sha256: "s",
  expectedEtag: "e",
  etag: "e",
  verification: "size+etag",
});

export const storeFailure = (changes: Partial<StoreFailure> = {}): StoreFailure => ({
  reason: "store_unavailable",
  retryable: true,
  status: 503,
  code: "SlowDown",
  permission: null,
  advice: "Wait.",
  ...changes,
});
