import type { Fault, S3Operation } from "./broken-s3-words.ts";

/** A fault and the requests that it affects. The first rule that applies to a request is used. */
export interface FaultRule {
  readonly operation: S3Operation | readonly S3Operation[];
  /** Only keys that match; absent: all keys. */
  readonly key?: RegExp;
  /** Only requests signed with this key; absent: all requests. */
  readonly accessKeyId?: string;
  /** Number of matching requests that pass before the rule applies; absent: 0. */
  readonly after?: number;
  /** Number of requests that the rule applies to; absent: 1. */
  readonly count?: number | "always";
  readonly fault: Fault;
  /** Duration of `refused`, `slow` and `delivered_again`. */
  readonly forMs?: number;
  /** `slow` lasts until this resolves, so that a test can act meanwhile on a machine of any speed. */
  readonly until?: Promise<void>;
  /** Called when the fault has had its effect on the store, before an answer is sent. */
  readonly onFault?: () => void;
}

/** The properties of a request that rules match. */
export interface FaultTarget {
  readonly operation: S3Operation;
  readonly key: string;
  readonly accessKeyId: string | null;
}

/** The active rules, each with the number of requests it has matched. */
export class FaultRules {
  #entries: { readonly rule: FaultRule; seen: number }[] = [];

  replace(rules: readonly FaultRule[]): void {
    this.#entries = rules.map((rule) => ({ rule, seen: 0 }));
  }

  /** Counts the request for all matching rules and returns the first rule that applies; null: no fault. */
  strike(target: FaultTarget): FaultRule | null {
    const concerned = this.#entries.filter(({ rule }) => isFor(rule, target));
    for (const entry of concerned) entry.seen += 1;
    return concerned.find(({ rule, seen }) => isDue(rule, seen))?.rule ?? null;
  }
}

const isFor = ({ operation, key, accessKeyId }: FaultRule, target: FaultTarget): boolean =>
  (typeof operation === "string" ? operation === target.operation : operation.includes(target.operation)) &&
  (key === undefined || key.test(target.key)) &&
  (accessKeyId === undefined || accessKeyId === target.accessKeyId);

const isDue = ({ after = 0, count = 1 }: FaultRule, seen: number): boolean =>
  seen > after && (count === "always" || seen <= after + count);
