import type { Fault } from "./faults.ts";
import type { World } from "./world.ts";

/** What some seeds came to; plain data, so that processes can add theirs up. */
export interface Tally {
  readonly seeds: number;
  readonly events: number;
  readonly rows: number;
  /** Exports by their last status. */
  readonly exports: Readonly<Record<string, number>>;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** Sum of all trace hashes: the same seeds give the same, in whatever order they were run. */
  readonly trace: number;
}

export const EMPTY: Tally = { seeds: 0, events: 0, rows: 0, exports: {}, faults: {}, trace: 0 };

/** Far below what sums of whole numbers can hold. */
const HASH_MODULUS = 2 ** 48;

export function tallyOf(world: World): Tally {
  const exports: Record<string, number> = {};
  for (const actor of world.logs.exports.values()) {
    const { status } = world.logs.exportState(actor);
    exports[status] = (exports[status] ?? 0) + 1;
  }
  return {
    seeds: 1,
    events: world.kernel.delivered,
    rows: world.rows.byId.size,
    exports,
    faults: Object.fromEntries(world.faults.served),
    trace: Number.parseInt(world.kernel.trace.hash.slice(4), 16),
  };
}

export const sumOf = (a: Tally, b: Tally): Tally => ({
  seeds: a.seeds + b.seeds,
  events: a.events + b.events,
  rows: a.rows + b.rows,
  exports: added(a.exports, b.exports),
  faults: added(a.faults, b.faults),
  trace: (a.trace + b.trace) % HASH_MODULUS,
});

export const exportsOf = ({ exports }: Tally): number => Object.values(exports).reduce((sum, count) => sum + count, 0);

function added(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const sum = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
