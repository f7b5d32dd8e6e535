import { ExportWorld } from "./exports/export-world.ts";
import { FleetWorld } from "./fleet/fleet-world.ts";
import type { World } from "./kernel/world.ts";
import { EMPTY, sumOf, type Tally, tallyOfExports, tallyOfFleet } from "./tally.ts";

/** The kinds of worlds. Each seed defines one world of each kind. */
export const KINDS = ["exports", "fleet"] as const;

export type Kind = (typeof KINDS)[number];

/** A reported violation. */
export interface Found {
  readonly seed: number;
  readonly kind: Kind;
  readonly invariant: string;
  readonly seen: string;
  readonly lastEvents: readonly string[];
}

export interface Share {
  readonly from: number;
  /** End of the seeds, exclusive; every `step`-th seed is run. */
  readonly until: number;
  readonly step: number;
  readonly kinds: readonly Kind[];
}

type Print = ((line: string) => void) | null;

/** Runs seed after seed until one breaks an invariant. Calls `onTally` after each seed. */
export async function explore(
  { from, until, step, kinds }: Share,
  onTally: (tally: Tally) => void,
  print: Print,
): Promise<Found | null> {
  for (let seed = from; seed < until; seed += step) {
    let tally: Tally = { ...EMPTY, seeds: 1 };
    for (const kind of kinds) {
      const lived = await live(kind, seed, print);
      tally = sumOf(tally, lived.tally);
      const { violation, kernel } = lived.world;
      if (violation === null) continue;
      onTally(tally);
      return { seed, kind, ...violation, lastEvents: kernel.trace.last };
    }
    onTally(tally);
  }
  return null;
}

async function live(kind: Kind, seed: number, print: Print): Promise<{ readonly world: World; readonly tally: Tally }> {
  switch (kind) {
    case "exports": {
      const world = new ExportWorld(seed, print);
      await world.live();
      return { world, tally: tallyOfExports(world) };
    }
    case "fleet": {
      const world = new FleetWorld(seed, print);
      await world.live();
      return { world, tally: tallyOfFleet(world) };
    }
  }
}
