import { keyPrefixOf } from "../destination/layout.ts";
import type { CommittedFile, Verification } from "../export-run/events.ts";
import { shortIsoFromMicros } from "../shared/time-text.ts";
import type { ExportPlan } from "./events.ts";
import type { EmptyDays } from "./known-runs.ts";
import { partitionAt } from "./partitions.ts";

/** The files of one run. */
export interface ExportRunFiles {
  readonly ordinal: number;
  readonly runId: string;
  readonly rows: number;
  readonly files: readonly CommittedFile[];
}

/** Version of the manifest; raised when a member changes its meaning or is removed. */
export const MANIFEST_VERSION = 3;

/**
 * The list of the files of a completed export, stored in the bucket with the data [PRF-3]. It holds ids, days, sizes
 * and digests only. `empty`: the days without rows, whose runs are not listed. It is a function of its arguments, so that
 * writing it again writes the same bytes.
 */
export function manifestOf(plan: ExportPlan, runs: readonly ExportRunFiles[], empty: readonly EmptyDays[]): string {
  const { definition, destination } = plan;
  const files = runs.flatMap((run) => run.files);
  return `${JSON.stringify(
    {
      manifest_version: MANIFEST_VERSION,
      export_id: definition.id,
      tenant_id: definition.tenantId,
      session_id: definition.projectId,
      source_bulk_export_id: definition.sourceExportId,
      start_time: shortIsoFromMicros(definition.start),
      end_time: definition.end === null ? null : shortIsoFromMicros(definition.end),
      format_version: definition.formatVersion,
      compression: definition.compression,
      export_fields: definition.exportFields,
      filter: definition.filter,
      bucket_name: destination.bucketName,
      prefix: keyPrefixOf(destination),
      verification: weakest(files),
      rows: runs.reduce((sum, run) => sum + run.rows, 0),
      incomplete_rows: files.reduce((sum, file) => sum + file.incompleteRows, 0),
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      runs: runs.map((run) => ({
        run_id: run.runId,
        day: partitionAt(definition, run.ordinal)?.day ?? null,
        late: partitionAt(definition, run.ordinal)?.late ?? false,
        rows: run.rows,
        files: run.files.map(shownFile),
      })),
      empty_days: empty.map(({ from, upto }) => ({
        first: partitionAt(definition, from)?.day ?? null,
        last: partitionAt(definition, upto - 1)?.day ?? null,
      })),
    },
    null,
    2,
  )}\n`;
}

const shownFile = ({ key, rows, incompleteRows, bytes, sha256, expectedEtag, etag, verification }: CommittedFile) => ({
  key,
  rows,
  incomplete_rows: incompleteRows,
  bytes,
  sha256,
  expected_etag: expectedEtag,
  etag,
  verification,
});

const FROM_WEAKEST: readonly Verification[] = ["none", "size", "size+etag"];

/** The weakest verification of a file is that of the export; an export without files has nothing to verify. */
const weakest = (files: readonly CommittedFile[]): Verification =>
  FROM_WEAKEST.find((level) => files.some((file) => file.verification === level)) ?? "size+etag";
