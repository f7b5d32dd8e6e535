import { keyPrefixOf } from "../destination/layout.ts";
import type { CommittedFile, Verification } from "../export-run/events.ts";
import { isoFromMs } from "../shared/time.ts";
import type { ExportPlan } from "./events.ts";

/** What one run put into the bucket. */
export interface ExportRunFiles {
  readonly ordinal: number;
  readonly runId: string;
  readonly rows: number;
  readonly files: readonly CommittedFile[];
}

/** How the manifest is to be read: raised when a member changes its meaning or goes. */
export const MANIFEST_VERSION = 2;

/**
 * The list of everything a completed export consists of, as it lies in the bucket beside the data [PRF-3].
 * Ids and sizes only; the text follows from its arguments alone, so writing it again writes the same bytes.
 */
export function manifestOf(plan: ExportPlan, runs: readonly ExportRunFiles[]): string {
  const { definition, destination } = plan;
  const files = runs.flatMap((run) => run.files);
  return `${JSON.stringify(
    {
      manifest_version: MANIFEST_VERSION,
      export_id: definition.id,
      tenant_id: definition.tenantId,
      session_id: definition.projectId,
      source_bulk_export_id: definition.sourceExportId,
      start_time: isoFromMs(definition.start),
      end_time: definition.end === null ? null : isoFromMs(definition.end),
      format_version: definition.formatVersion,
      compression: definition.compression,
      export_fields: definition.exportFields,
      filter: definition.filter,
      bucket_name: destination.bucketName,
      prefix: keyPrefixOf(destination),
      verification: weakest(files),
      rows: runs.reduce((sum, run) => sum + run.rows, 0),
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      runs: runs.map((run) => ({
        run_id: run.runId,
        day: plan.partitions[run.ordinal]?.day ?? null,
        late: plan.partitions[run.ordinal]?.late ?? false,
        rows: run.rows,
        files: run.files.map(shownFile),
      })),
    },
    null,
    2,
  )}\n`;
}

const shownFile = ({ key, rows, bytes, sha256, expectedEtag, etag, verification }: CommittedFile) => ({
  key,
  rows,
  bytes,
  sha256,
  expected_etag: expectedEtag,
  etag,
  verification,
});

const FROM_WEAKEST: readonly Verification[] = ["none", "size", "size+etag"];

/** An export is proven as well as the least of its files; one without files leaves nothing to prove. */
const weakest = (files: readonly CommittedFile[]): Verification =>
  FROM_WEAKEST.find((level) => files.some((file) => file.verification === level)) ?? "size+etag";
