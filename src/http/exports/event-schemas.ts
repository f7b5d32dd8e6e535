import type { ExportEvent } from "../../domain/export/events.ts";
import type { ExportRunEvent } from "../../domain/export-run/events.ts";
import type { ExportStatus } from "../../domain/shared/export-status.ts";
import type { EventPage, Logged } from "../../domain/shared/history.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import type { ShownEvent } from "../kernel/event-schemas.ts";
import { eventPageShown } from "../kernel/event-schemas.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";

/** What each event of an export says. */
export const EXPORT_EVENTS = {
  ExportCreated: "Asked for; everything that it does is fixed.",
  ExportStarted: "The workspace had room; it works until `deadline` at the longest.",
  RunAdmitted: "A run may work.",
  RunReported: "A run said how far it is.",
  ManifestBegan: "The manifest is being written.",
  ManifestFailed: "The manifest could not be written; it is tried again at `retry_at`.",
  ManifestCommitted: "The manifest and _SUCCESS stand in the bucket.",
  ExportCompleted: "Ended: everything is in the bucket and proven.",
  ExportFailed: "Ended: a run or the manifest failed for good, or the project was deleted.",
  ExportPaused: "Paused by the customer; no time runs out meanwhile.",
  ExportResumed: "Resumed by the customer; `deadline` moved by the pause.",
  ExportCancelled: "Ended by the customer; a schedule also when its project was deleted.",
  ExportTimedOut: "Ended by its deadline.",
  MarkerRemoved: "No _SUCCESS stands in the bucket, for the export is not COMPLETED.",
  MarkerRemovalFailed: "_SUCCESS could not be taken away; it is tried again at `retry_at`.",
  MarkerLeft: "_SUCCESS may stand although the export is not COMPLETED; the credentials cannot take it away.",
  LookFailed: "The table could not be asked for late rows; the window that is due waits until `retry_at`.",
  WindowSpawned: "The schedule made the export of its next window.",
} as const satisfies Record<ExportEvent["type"], string>;

/** What each event of a run says. */
export const RUN_EVENTS = {
  RunStarted: "Has all that it needs to know.",
  AttemptStarted: "An attempt began; it works until `deadline` at the longest.",
  StepBegan: "A step of the work began.",
  StepPaused: "The step goes on with the next alarm.",
  StepCrashed: "The process died within the step.",
  StagingBegan: "It is fixed which rows of the table are exported, and in which pages they are read.",
  PageStaged: "A page of the table arrived.",
  StagingDropped: "The table's rows are no longer those that were counted; it is read anew.",
  SnapshotTaken: "It is fixed which traces are exported.",
  SegmentDerived: "A piece that could not be copied was made anew.",
  FilesPlanned: "It is fixed which files are written.",
  UploadOpened: "A multipart upload was opened.",
  PartUploaded: "A part arrived.",
  UploadLost: "The store forgot the upload; it begins anew.",
  UploadAborted: "An upload was given up, so that nothing dangles.",
  AbortFailed: "The open upload could not be given up; it is tried again at `retry_at`.",
  AbortRetried: "The open upload is being given up again.",
  UploadAbandoned: "The open upload is left to the bucket's own lifecycle rule.",
  FileCommitted: "A file stands in the bucket.",
  SlowedDown: "The store asked for fewer requests, or took a part too slowly; fewer parts at once from `resume_at` on.",
  SlowDownEnded: "Work goes on.",
  SpedUp: "More parts go up at once again.",
  AttemptFailed: "The attempt failed; the next one begins at `retry_at`.",
  RunPaused: "Waits, as its export does.",
  RunResumed: "Goes on where it stopped; `deadline` moved by the pause.",
  RunCompleted: "Ended: every planned row is in the bucket.",
  RunFailed: "Ended: no retry is left, or none would help.",
  RunCancelled: "Ended with its cancelled export.",
  RunTimedOut: "Ended with its export, which was out of time.",
  ScratchCleaned: "What it kept for itself is removed.",
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

/** Members whose word on the wire is another one than their own in snake_case. */
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

/** Instants by the names that the domain gives them: those of traces are in microseconds, all others in milliseconds. */
const INSTANT = /^(?:start|end|deadline|\w+At)$/;
const TRACE_INSTANT = /^(?:min|max)Start$/;

const shownMembers = (profile: WireProfile, members: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [wireName(name), shownMember(profile, name, value)]),
  );

const shownMember = (profile: WireProfile, name: string, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => shownMember(profile, name, item));
  if (typeof value === "object" && value !== null) return shownMembers(profile, value);
  if (typeof value === "number") {
    if (INSTANT.test(name)) return isoFromMs(value);
    return TRACE_INSTANT.test(name) ? isoFromMicroseconds(value) : value;
  }
  return name === "status" && isStatus(profile, value) ? profile.statusWords[value] : value;
};

const isoFromMicroseconds = (instant: number): string =>
  isoFromMs(Math.floor(instant / 1000)).replace("Z", `${String(instant % 1000).padStart(3, "0")}Z`);

const isStatus = (profile: WireProfile, value: unknown): value is ExportStatus =>
  typeof value === "string" && value in profile.statusWords;
