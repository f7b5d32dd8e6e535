import type { ExportEvent } from "../../domain/export/events.ts";
import type { ExportRunEvent } from "../../domain/export-run/events.ts";
import type { ExportStatus } from "../../domain/shared/export-status.ts";
import type { EventPage, Logged } from "../../domain/shared/history.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { shortIsoFromMicros } from "../../domain/shared/time-text.ts";
import type { ShownEvent } from "../kernel/event-schemas.ts";
import { eventPageShown } from "../kernel/event-schemas.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";

/** Meaning of each event of an export. */
export const EXPORT_EVENTS = {
  ExportCreated: "The export was created. Its definition does not change any more.",
  ExportStarted: "The workspace had capacity, and the export started. It ends at `deadline` at the latest.",
  RunAdmitted: "A run may start.",
  RunReported: "A run reported its progress.",
  ManifestBegan: "Writing the manifest began.",
  ManifestFailed: "Writing the manifest failed; the next attempt is at `retry_at`.",
  ManifestCommitted: "The manifest and _SUCCESS are in the bucket.",
  ExportCompleted: "The export ended: all files are in the bucket and verified.",
  ExportFailed: "The export ended: a run or the manifest failed permanently, or the project was deleted.",
  DaysChecked:
    "The days of the runs from `from` up to but without `upto` were checked. Those in `withRows` have rows; the runs of the " +
    "others are COMPLETED with 0 rows.",
  ExportPaused: "The customer paused the export. Its deadline does not run during the pause.",
  ExportResumed: "The customer resumed the export. `deadline` was extended by the duration of the pause.",
  ExportCancelled: "The customer cancelled the export.",
  ExportTimedOut: "The export ended at its deadline.",
  MarkerRemoved: "_SUCCESS is not in the bucket, because the export is not COMPLETED.",
  MarkerRemovalFailed: "_SUCCESS could not be deleted; the next attempt is at `retry_at`.",
  MarkerLeft: "_SUCCESS may be in the bucket although the export is not COMPLETED; the credentials cannot delete it.",
  LateSearchFailed: "The query for late rows of the table failed; the window that is due waits until `retry_at`.",
  WindowSpawned: "The schedule created the export of its next window.",
  WindowEnded: "The export of a window has ended.",
} as const satisfies Record<ExportEvent["type"], string>;

/** Meaning of each event of a run. */
export const RUN_EVENTS = {
  RunStarted: "The run received its definition.",
  AttemptStarted: "An attempt began. It ends at `deadline` at the latest.",
  StepBegan: "A step began.",
  StepPaused: "The step continues with the next alarm.",
  StepCrashed: "The process ended during the step.",
  StagingBegan: "The rows of the table to export, and the pages in which they are read, were determined.",
  PageStaged: "A page of the table was read.",
  StagingDropped: "The rows of the table changed since they were counted; the table is read again.",
  SnapshotTaken: "The traces to export were determined.",
  SegmentDerived: "A segment was derived from rows that cannot be copied unchanged.",
  FilesPlanned: "The files to write were determined.",
  UploadOpened: "A multipart upload was opened.",
  PartUploaded: "A part was uploaded.",
  UploadLost: "The store no longer knows the upload; it starts again.",
  UploadAborted: "A multipart upload was aborted, so that no parts remain in the bucket.",
  AbortFailed: "Aborting the multipart upload failed; the next attempt is at `retry_at`.",
  AbortRetried: "Another attempt to abort the multipart upload began.",
  UploadAbandoned:
    "The multipart upload stays open, until the sweep of the destination or the bucket's lifecycle rule removes it.",
  FileCommitted: "A file is in the bucket.",
  SlowedDown:
    "The store asked for fewer requests, or accepted a part too slowly. From `resume_at` on, fewer parts are " +
    "uploaded concurrently.",
  SlowDownEnded: "Uploads continue.",
  SpedUp: "More parts are uploaded concurrently again.",
  AttemptFailed: "The attempt failed; the next attempt is at `retry_at`.",
  RunPaused: "The run was paused with its export.",
  RunResumed: "The run continues where it stopped. `deadline` was extended by the duration of the pause.",
  RunCompleted: "The run ended: every planned row is in the bucket.",
  RunFailed: "The run ended: no retry is left, or the failure cannot be retried.",
  RunCancelled: "The run ended, because its export was cancelled.",
  RunStopped:
    "The run was not done when its export ended: another run had failed, the project was deleted, or the export timed out.",
  ScratchCleaned: "The scratch objects of the run were deleted.",
} as const satisfies Record<ExportRunEvent["type"], string>;

export const exportEventsShown = eventPageShown("BulkExportEvent", EXPORT_EVENTS);
export const runEventsShown = eventPageShown("BulkExportRunEvent", RUN_EVENTS);

/** A page of events in its wire shape. */
export const showEvents = (profile: WireProfile, { events, nextAfter }: EventPage<ExportEvent | ExportRunEvent>) => ({
  events: events.map((logged) => showEvent(profile, logged)),
  next_after: nextAfter,
});

export const showEvent = (
  profile: WireProfile,
  { seq, at, event }: Logged<ExportEvent | ExportRunEvent>,
): ShownEvent => {
  const { type, at: _, ...data } = event;
  return { seq, at: isoFromMs(at), type, data: shownMembers(profile, data) };
};

/** Members whose name on the wire is not their own name in snake_case. */
const WIRE_NAMES: Readonly<Record<string, string>> = {
  destinationId: "bulk_export_destination_id",
  exportId: "bulk_export_id",
  projectId: "session_id",
  sourceExportId: "source_bulk_export_id",
  start: "start_time",
  end: "end_time",
};

const wireName = (name: string): string =>
  WIRE_NAMES[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Members that are instants, recognized by name: those of runs and windows are in microseconds, all others in milliseconds. */
const INSTANT = /^(?:deadline|\w+At)$/;
const RUN_INSTANT = /^(?:start|end|minStart|maxStart)$/;

const shownMembers = (profile: WireProfile, members: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [wireName(name), shownMember(profile, name, value)]),
  );

const shownMember = (profile: WireProfile, name: string, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => shownMember(profile, name, item));
  if (typeof value === "object" && value !== null) return shownMembers(profile, value);
  if (typeof value === "number") {
    if (INSTANT.test(name)) return isoFromMs(value);
    return RUN_INSTANT.test(name) ? shortIsoFromMicros(value) : value;
  }
  return name === "status" && isStatus(profile, value) ? profile.statusWords[value] : value;
};

const isStatus = (profile: WireProfile, value: unknown): value is ExportStatus =>
  typeof value === "string" && value in profile.statusWords;
