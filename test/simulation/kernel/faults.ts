import type { Random } from "./random.ts";

/** What the platform does to every actor, with what it means. */
export const PLATFORM_FAULTS = {
  crash_before_commit: "an actor dies at the end of a turn; what it wrote in it is lost, and nothing left it",
  crash_after_commit: "an actor dies when what it wrote is durable; what it sent still arrives",
  restart: "all actors die at once",
  eviction: "an idle actor leaves memory",
  slow_commit: "writes take a while to become durable, and hold back all that leaves the actor",
  lost_call: "a call does not arrive; the caller sees a throw",
  lost_answer: "a call is done, its answer does not arrive; the caller sees a throw",
  late_call: "a call arrives up to two minutes late",
  late_alarm: "an alarm fires up to a minute late",
  double_alarm: "an alarm fires twice",
  segments_refused: "R2 throws and has done nothing",
  segments_answer_lost: "R2 throws and has done it",
  segments_slow: "R2 takes up to 20 seconds",
} as const;

/** What a customer's store does. */
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
  reset_before: "the connection breaks before the store acts",
  lost_reply: "the store acts, the connection breaks before its answer",
  reset_in_reply: "the store acts, the connection breaks in the middle of its answer",
  never_answers: "no answer; the store may have acted",
  slow_reply: "the answer takes up to 50 seconds",
  late_duplicate: "the network delivers a request again, up to ten minutes later",
  error_in_200: "200 with an <Error> inside, to a Complete; the store may have acted",
  no_etag: "a good answer without ETag",
  invalid_part: "400 InvalidPart to a Complete: the store has lost a part",
  no_such_upload: "404 NoSuchUpload: the store has given up the upload",
  fake_put: "acknowledged, not kept",
  head_forbidden: "the credentials may not read",
  abort_forbidden: "the credentials may not abort uploads",
  delete_forbidden: "the credentials may not delete",
} as const;

/** Everything that can go wrong below exports. */
export const FAULTS = { ...PLATFORM_FAULTS, ...STORE_FAULTS };

/** What listeners do. */
export const LISTENER_FAULTS = {
  listener_dies: "a listener's process dies, forgets everything, and comes back within some minutes",
  listener_silent: "a listener says nothing for up to five minutes, then goes on as if nothing had been",
  listener_leaves: "a listener goes for good, with all its processes",
  report_twice: "a report is sent a second time, up to two minutes later",
  report_late: "a listener works on for up to two minutes without a word",
  report_stubborn: "a listener that heard that its lease is lost says all the same that it is done",
  report_senseless: "a report says what cannot follow, or comes from somebody without any lease",
} as const;

export type Fault = keyof typeof FAULTS | keyof typeof LISTENER_FAULTS;

/** What goes wrong in one world, how often, and how often it did. */
export class Faults {
  readonly #rates: ReadonlyMap<Fault, number>;
  readonly #random: Random;
  readonly served = new Map<Fault, number>();
  /** Off at first and once everything has healed. */
  isOn = false;

  constructor(rates: ReadonlyMap<Fault, number>, random: Random) {
    this.#rates = rates;
    this.#random = random;
  }

  /** Whether it goes wrong now. */
  strikes(fault: Fault): boolean {
    if (!this.isOn) return false;
    const rate = this.#rates.get(fault);
    if (rate === undefined || !this.#random.chance(rate)) return false;
    this.count(fault);
    return true;
  }

  /** The first of them that strikes. */
  among<Kind extends Fault>(faults: readonly Kind[]): Kind | null {
    return faults.find((fault) => this.strikes(fault)) ?? null;
  }

  count(fault: Fault): void {
    this.served.set(fault, (this.served.get(fault) ?? 0) + 1);
  }
}
