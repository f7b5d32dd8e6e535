/** What the check of a destination found out [DST-11]. */
export interface CheckReport {
  /** The region that requests are signed for: the one sent, the one that the store named, or the default. */
  readonly region: string;
  readonly steps: CheckSteps;
  readonly etags: Etags;
}

/** The requests of the check, in the order in which they are shown. */
export const CHECK_STEPS = ["put", "head", "multipart_create", "multipart_abort", "delete", "list"] as const;

export type CheckStep = (typeof CHECK_STEPS)[number];

/** `missing`: the store refused it for lack of a right. `not_tried`: no answer says whether the right is there. */
export type StepResult = "passed" | "missing" | "not_tried";

export type CheckSteps = Readonly<Record<CheckStep, StepResult>>;

/**
 * What the ETag of an object is. `md5`: the MD5 of its bytes; of a multipart object the MD5 of the MD5s of its parts, a
 * hyphen and their number. `other`: something else, so it proves nothing. `unknown`: the store showed none.
 */
export type EtagKind = "md5" | "other" | "unknown";

/** The ETags of a bucket, as its check saw them. Stores may differ between the two: Google Cloud Storage does. */
export interface Etags {
  /** Of objects written by one PUT. */
  readonly put: EtagKind;
  /** Of objects joined from parts. */
  readonly multipart: EtagKind;
}

export const UNKNOWN_ETAGS: Etags = { put: "unknown", multipart: "unknown" };
