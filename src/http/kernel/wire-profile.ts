import type { DestinationConfig } from "../../domain/destination/records.ts";
import type { ExportStatus } from "../../domain/shared/export-status.ts";
import type { WireProfileName } from "../../settings.ts";

/**
 * What differs between the two spellings of the same API. `spec` follows the specification; `langsmith` follows what
 * clients of the original service send and expect. Everything else is the same for both.
 */
export interface WireProfile {
  readonly name: WireProfileName;
  /** Every word that `status` of an export may hold. */
  readonly exportStatuses: readonly [string, ...string[]];
  /** Every word that `status` of a run may hold. */
  readonly runStatuses: readonly [string, ...string[]];
  /** `status` of a run, and of an export that is no schedule. */
  readonly statusWords: Readonly<Record<ExportStatus, string>>;
  /** `status` of a schedule that has not ended: it never processes runs itself. */
  readonly scheduledWord: string;
  /** Whether `destination_type` and `config.prefix` must be sent [WIR-7]; else they are `s3` and "". */
  readonly destinationMembersRequired: boolean;
  /** Shown for `include_bucket_in_prefix` when a destination is created without it. */
  readonly includeBucketInPrefixPreset: boolean;
  /** Whether keys in the bucket begin with the bucket's own name, given what was sent. */
  readonly bucketRepeatedInKeys: (sent: boolean | null | undefined) => boolean;
  /** What `include_bucket_in_prefix` shows for a stored destination. */
  readonly includeBucketInPrefixShown: (config: DestinationConfig) => boolean;
}

const SPEC_WORDS = {
  CREATED: "CREATED",
  RUNNING: "RUNNING",
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  CANCELLED: "CANCELLED",
  TIMEDOUT: "TIMEDOUT",
} as const satisfies Record<ExportStatus, string>;

const LANGSMITH_WORDS = {
  CREATED: "Created",
  RUNNING: "Running",
  COMPLETED: "Completed",
  FAILED: "Failed",
  CANCELLED: "Cancelled",
  TIMEDOUT: "TimedOut",
} as const satisfies Record<ExportStatus, string>;

const INTERVAL_SCHEDULED = "IntervalScheduled";

const wordsOf = (words: Readonly<Record<ExportStatus, string>>): [string, ...string[]] => [
  words.CREATED,
  words.RUNNING,
  words.COMPLETED,
  words.FAILED,
  words.CANCELLED,
  words.TIMEDOUT,
];

const SPEC: WireProfile = {
  name: "spec",
  exportStatuses: wordsOf(SPEC_WORDS),
  runStatuses: wordsOf(SPEC_WORDS),
  statusWords: SPEC_WORDS,
  scheduledWord: SPEC_WORDS.CREATED,
  destinationMembersRequired: true,
  includeBucketInPrefixPreset: false,
  bucketRepeatedInKeys: (sent) => sent ?? false,
  includeBucketInPrefixShown: (config) => config.includeBucketInPrefix,
};

/**
 * At the original, `include_bucket_in_prefix` only says whether reported paths begin with the bucket's name; ours
 * always do, and a strict client refuses keys that repeat the bucket. So here the member changes nothing and shows
 * the constant truth about reported paths, whatever was sent.
 */
const LANGSMITH: WireProfile = {
  name: "langsmith",
  exportStatuses: [...wordsOf(LANGSMITH_WORDS), INTERVAL_SCHEDULED],
  runStatuses: wordsOf(LANGSMITH_WORDS),
  statusWords: LANGSMITH_WORDS,
  scheduledWord: INTERVAL_SCHEDULED,
  destinationMembersRequired: false,
  includeBucketInPrefixPreset: true,
  bucketRepeatedInKeys: () => false,
  includeBucketInPrefixShown: () => true,
};

/** The profile that the setting `WIRE_PROFILE` names. */
export const wireProfile = (name: WireProfileName): WireProfile => {
  switch (name) {
    case "spec":
      return SPEC;
    case "langsmith":
      return LANGSMITH;
  }
};

/** `status` of an export as its client sees it. */
export const exportStatusWord = (
  profile: WireProfile,
  record: { readonly status: ExportStatus; readonly intervalHours: number | null },
): string => {
  const ended = record.status !== "CREATED" && record.status !== "RUNNING";
  return record.intervalHours === null || ended ? profile.statusWords[record.status] : profile.scheduledWord;
};

/** Whether a PATCH asks for cancellation: `Cancelled` in any letter case, in both profiles. */
export const meansCancelled = (word: string): boolean => word.toLowerCase() === "cancelled";
