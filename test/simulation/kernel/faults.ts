import type { Random } from "./random.ts";

/** Faults of the platform and their meaning. */
export const PLATFORM_FAULTS = {
  crash_before_commit: "an actor crashes at the end of a turn; its writes are lost, and its calls are not sent",
  crash_after_commit: "an actor crashes after its writes are durable; its calls are still delivered",
  restart: "all actors crash",
  eviction: "an idle actor is removed from memory",
  slow_commit: "writes become durable late, and calls of the actor wait for them",
  lost_call: "a call does not arrive; the caller gets an error",
  lost_answer: "a call is executed, but its answer does not arrive; the caller gets an error",
  late_call: "a call arrives up to two minutes late",
  late_alarm: "an alarm fires up to a minute late",
  double_alarm: "an alarm fires twice",
  segments_refused: "R2 throws without executing the request",
  segments_answer_lost: "R2 throws after executing the request",
  segments_slow: "R2 takes up to 20 seconds",
} as const;

/** Faults of a customer's store. */
const STORE_FAULTS = {
  internal_error: "500 InternalError",
  slow_down: "503 SlowDown",
  too_many_requests: "429",
  bad_gateway: "502 with the error page of a proxy",
  access_denied: "403 AccessDenied",
  expired_token: "400 ExpiredToken",
  redirect: "307 TemporaryRedirect",
  conflict: "409 OperationAborted",
  precondition_failed: "412 PreconditionFailed",
  bucket_removed: "404 NoSuchBucket for a while",
  reset_before: "the connection breaks before the store executes the request",
  lost_reply: "the store executes the request, and the connection breaks before its answer",
  reset_in_reply: "the store executes the request, and the connection breaks in the middle of its answer",
  never_answers: "no answer; the store may have executed the request",
  slow_reply: "the answer takes up to 50 seconds",
  late_duplicate: "the network delivers a request again, up to ten minutes later",
  error_in_200: "200 with an <Error> inside, to a Complete; the store may have executed it",
  no_etag: "a successful answer without ETag",
  invalid_part: "400 InvalidPart to a Complete: the store has lost a part",
  no_such_upload: "404 NoSuchUpload: the store has deleted the upload",
  fake_put: "a write is acknowledged but not stored",
  head_forbidden: "the credentials may not read",
  abort_forbidden: "the credentials may not abort uploads",
  delete_forbidden: "the credentials may not delete",
} as const;

/** All faults of worlds of exports. */
export const FAULTS = { ...PLATFORM_FAULTS, ...STORE_FAULTS };

/** Faults of listeners. */
export const LISTENER_FAULTS = {
  listener_dies: "a listener's process crashes, loses its state, and restarts within some minutes",
  listener_silent: "a listener sends nothing for up to five minutes, then continues",
  listener_leaves: "all processes of a listener end permanently",
  report_twice: "a report is sent again up to two minutes later",
  report_late: "a listener works for up to two minutes without a report",
  report_lost_lease: "a listener reports success although it knows that its lease is lost",
  report_invalid: "a report has a status that cannot follow, or an unknown lease",
} as const;

export type Fault = keyof typeof FAULTS | keyof typeof LISTENER_FAULTS;

/** The faults of one world: their probabilities and how often they occurred. */
export class Faults {
  readonly #rates: ReadonlyMap<Fault, number>;
  readonly #random: Random;
  readonly served = new Map<Fault, number>();
  /** Whether faults are injected. False at the start and after all faults have stopped. */
  isOn = false;

  constructor(rates: ReadonlyMap<Fault, number>, random: Random) {
    this.#rates = rates;
    this.#random = random;
  }

  /** Draws whether the fault occurs now, and counts it. */
  occurs(fault: Fault): boolean {
    if (!this.isOn) return false;
    const rate = this.#rates.get(fault);
    if (rate === undefined || !this.#random.chance(rate)) return false;
    this.count(fault);
    return true;
  }

  /** The first of the faults that occurs; null: none. */
  among<Kind extends Fault>(faults: readonly Kind[]): Kind | null {
    return faults.find((fault) => this.occurs(fault)) ?? null;
  }

  count(fault: Fault): void {
    this.served.set(fault, (this.served.get(fault) ?? 0) + 1);
  }
}
