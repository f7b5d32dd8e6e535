import { keyPrefixOf } from "../destination/layout.ts";
import { exportRunFolder } from "./place.ts";
import type { ExportRunRecord } from "./records.ts";
import type { EndedExportRun, ExportRunState, RunningExportRun } from "./state.ts";

/** What others may see of a run [XRN-6]; null before it started. */
export function viewOf(state: ExportRunState): ExportRunRecord | null {
  if (state.status === "NONE") return null;
  const { spec, progress } = state;
  const bucket = spec.destination.bucketName;
  const { snapshot, files, upload } = progress;
  const parts = upload?.parts ?? [];
  return {
    id: spec.runId,
    exportId: spec.exportId,
    projectId: spec.projectId,
    status: state.status,
    createdAt: spec.createdAt,
    updatedAt: state.updatedAt,
    finishedAt: state.status === "RUNNING" ? null : state.finishedAt,
    start: spec.partition.start,
    end: spec.partition.end,
    late: spec.partition.late ?? false,
    retryNumber: state.retry,
    failures: state.failures,
    exportFailure: state.status === "RUNNING" ? null : state.exportFailure,
    openUpload: openUploadOf(state),
    prefix: keyPrefixOf(spec.destination),
    progress:
      snapshot === null
        ? null
        : {
            rowsPlanned: progress.plan?.rows ?? snapshot.rows,
            rowsWritten: files.reduce((sum, file) => sum + file.rows, 0),
            bytesWritten:
              files.reduce((sum, file) => sum + file.bytes, 0) + parts.reduce((sum, part) => sum + part.bytes, 0),
            files: files.map((file) => `${bucket}/${file.key}`),
            exportPath: `${bucket}/${exportRunFolder(spec)}`,
            cursor: state.status === "RUNNING" ? `${files.length}:${parts.length}` : null,
          },
  };
}

function openUploadOf(state: RunningExportRun | EndedExportRun): ExportRunRecord["openUpload"] {
  if (state.status === "RUNNING") return null;
  const open = state.progress.upload ?? state.abort.left;
  return open === null ? null : { key: open.key, uploadId: open.uploadId, failure: state.abort.last };
}

/** Whether the run has a final status. */
export const hasEnded = (state: ExportRunState): state is Extract<ExportRunState, { clean: boolean }> =>
  "clean" in state;

/** Whether no further event can follow: the run has ended and cleaned up. */
export const isOver = (state: ExportRunState): boolean =>
  hasEnded(state) && state.clean && state.progress.upload === null;
