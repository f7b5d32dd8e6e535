import { fileKey, folderOf, keyPrefixOf, lateFileKey } from "../destination/layout.ts";
import type { ExportRunSpec } from "./events.ts";

/** What the folder of a run follows from. */
export type RunPlace = Pick<
  ExportRunSpec,
  "destination" | "exportId" | "tenantId" | "projectId" | "partition" | "formatVersion"
>;

/** Folder of a run's files in the bucket, without an outer slash [FIL-1]. */
export const exportRunFolder = (spec: RunPlace): string =>
  folderOf({
    prefix: keyPrefixOf(spec.destination),
    exportId: spec.exportId,
    tenantId: spec.tenantId,
    projectId: spec.projectId,
    day: spec.partition.day,
    version: spec.formatVersion,
  });

/** Key of the run's file with that ordinal; the same in every attempt. */
export const exportRunFileKey = (spec: ExportRunSpec, file: number): string =>
  (spec.partition.late ? lateFileKey : fileKey)(exportRunFolder(spec), spec.partition.ordinal, file);
