import type { ExportWorld } from "./exports/export-world.ts";
import type { FleetWorld } from "./fleet/fleet-world.ts";
import type { Fault } from "./kernel/faults.ts";
import type { World } from "./kernel/world.ts";

/** Counts over some seeds, as plain data, so that processes can send and add them. */
export interface Tally {
  readonly seeds: number;
  readonly events: number;
  readonly rows: number;
  /** Number of exports by final status. */
  readonly exports: Readonly<Record<string, number>>;
  /** Number of revisions by final status. */
  readonly revisions: Readonly<Record<string, number>>;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** Sum of all trace hashes; equal for equal seeds in any order. */
  readonly trace: number;
}

export const EMPTY: Tally = { seeds: 0, events: 0, rows: 0, exports: {}, revisions: {}, faults: {}, trace: 0 };

/** Keeps sums within safe integers. */
const HASH_MODULUS = 2 ** 48;

export function tallyOfExports(world: ExportWorld): Tally {
  const { exports } = world.logs;
  const statuses = [...exports.values()].map((actor) => world.logs.exportState(actor).status);
  return { ...tallyOf(world), rows: world.rows.byId.size, exports: counted(statuses) };
}

export function tallyOfFleet(world: FleetWorld): Tally {
  const statuses = [...world.ledger.revisions.values()].map(({ status }) => status);
  return { ...tallyOf(world), revisions: counted(statuses) };
}

const tallyOf = ({ kernel, faults }: World): Tally => ({
  ...EMPTY,
  events: kernel.delivered,
  faults: Object.fromEntries(faults.served),
  trace: Number.parseInt(kernel.trace.hash.slice(4), 16),
});

export const sumOf = (a: Tally, b: Tally): Tally => ({
  seeds: a.seeds + b.seeds,
  events: a.events + b.events,
  rows: a.rows + b.rows,
  exports: added(a.exports, b.exports),
  revisions: added(a.revisions, b.revisions),
  faults: added(a.faults, b.faults),
  trace: (a.trace + b.trace) % HASH_MODULUS,
});

export const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const counted = (names: readonly string[]): Record<string, number> =>
  names.reduce((counts, name) => added(counts, { [name]: 1 }), {});

function added(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const sum = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
