import { type Tally, tallyOf } from "./tally.ts";
import { World } from "./world.ts";

/** A violation as it is reported. */
export interface Found {
  readonly seed: number;
  readonly invariant: string;
  readonly seen: string;
  readonly lastEvents: readonly string[];
}

export interface Share {
  readonly from: number;
  /** Seeds up to here, not included; every `step`-th of them. */
  readonly until: number;
  readonly step: number;
}

/** Lives through seed after seed until one breaks an invariant. `onTally` hears of every one. */
export async function explore(
  { from, until, step }: Share,
  onTally: (tally: Tally) => void,
  print: ((line: string) => void) | null,
): Promise<Found | null> {
  for (let seed = from; seed < until; seed += step) {
    const world = new World(seed, print);
    await world.live();
    onTally(tallyOf(world));
    if (world.violation !== null) return { seed, ...world.violation, lastEvents: world.kernel.trace.last };
  }
  return null;
}
