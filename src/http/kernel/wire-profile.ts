import type { DestinationConfig } from "../../domain/destination/records.ts";
import type { ExportStatus } from "../../domain/shared/export-status.ts";
import type { WireProfileName } from "../../settings.ts";

/**
 * The differences between the two variants of the API [WIR-4]. `spec` follows the specification; `langsmith` follows what
 * clients of the original service send and expect.
 */
export interface WireProfile {
  readonly name: WireProfileName;
  /** Values of `status` of an export. */
  readonly exportStatuses: readonly [string, ...string[]];
  /** Values of `status` of a run. */
  readonly runStatuses: readonly [string, ...string[]];
  /** `status` of a run, and of an export that is not a schedule. */
  readonly statusWords: Readonly<Record<ExportStatus, string>>;
  /** `status` of a schedule that has not ended. A schedule has no runs of its own. */
  readonly scheduledWord: string;
  /** Whether `destination_type` and `config.prefix` are required [WIR-7]. If not, their defaults are `s3` and "". */
  readonly destinationMembersRequired: boolean;
  /** Default of `include_bucket_in_prefix`. */
  readonly includeBucketInPrefixPreset: boolean;
  /** Whether keys begin with the bucket's name, given the value of `include_bucket_in_prefix` sent. */
  readonly bucketRepeatedInKeys: (sent: boolean | null | undefined) => boolean;
  /** Value of `include_bucket_in_prefix` in the record of a destination. */
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
 * In the original service, `include_bucket_in_prefix` only determines whether reported paths begin with the bucket's
 * name. Here they always do, and a strict client refuses keys that repeat the bucket's name. So the member has no effect
 * and is always reported as true.
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

/** `status` of an export on the wire. */
export const exportStatusWord = (
  profile: WireProfile,
  record: { readonly status: ExportStatus; readonly intervalHours: number | null },
): string => {
  const ended = record.status !== "CREATED" && record.status !== "RUNNING";
  return record.intervalHours === null || ended ? profile.statusWords[record.status] : profile.scheduledWord;
};

/** Whether a status in a PATCH means cancellation: `Cancelled` in any letter case, in both profiles. */
export const meansCancelled = (word: string): boolean => word.toLowerCase() === "cancelled";
