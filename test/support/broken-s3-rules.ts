import type { Fault, S3Operation } from "./broken-s3-words.ts";

/** Which requests go wrong, and how. The first rule that applies to a request decides. */
export interface FaultRule {
  readonly operation: S3Operation | readonly S3Operation[];
  /** Only keys that match; every key without it. */
  readonly key?: RegExp;
  /** Only requests signed with that key; every one without it. */
  readonly accessKeyId?: string;
  /** So many requests that the rule is for pass before it applies; none without it. */
  readonly after?: number;
  /** It applies so many times: once without it. */
  readonly count?: number | "always";
  readonly fault: Fault;
  /** Time that `refused`, `slow` and `delivered_again` take. */
  readonly forMs?: number;
  /** `slow` lasts until this resolves: a test that acts meanwhile does not race against the machine. */
  readonly until?: Promise<void>;
  /** Told when the fault has had its effect on the store, before anything is answered. */
  readonly struck?: () => void;
}

/** What a rule looks at. */
export interface FaultTarget {
  readonly operation: S3Operation;
  readonly key: string;
  readonly accessKeyId: string | null;
}

/** Rules in force, each with the number of requests it has seen. */
export class FaultRules {
  #entries: { readonly rule: FaultRule; seen: number }[] = [];

  replace(rules: readonly FaultRule[]): void {
    this.#entries = rules.map((rule) => ({ rule, seen: 0 }));
  }

  /** The rule that decides about this request, which every rule for it counts; null: all is well. */
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
