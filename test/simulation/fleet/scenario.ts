import type { Source } from "../../../src/domain/deployment/records.ts";
import { STARTS_AT } from "../exports/scenario.ts";
import { type Fault, LISTENER_FAULTS, PLATFORM_FAULTS } from "../kernel/faults.ts";
import { Random } from "../kernel/random.ts";
import type { Course } from "../kernel/world.ts";

/** The definition of a world of a fleet. It follows from the seed. */
export interface FleetScenario extends Course {
  /** Faults stop at this time; then all work must end. */
  readonly healsAfterMs: number;
  readonly restartsAfterMs: readonly number[];
  readonly listeners: readonly WantedListener[];
  readonly deployments: readonly WantedDeployment[];
  readonly actions: readonly FleetAction[];
}

export interface WantedListener {
  /** Processes of the listener, which compete for its work. */
  readonly processes: number;
  readonly pollEveryMs: number;
  /** Whether a process works on one revision at a time, without reports on waiting ones. */
  readonly isSequential: boolean;
  /** Time of its permanent end; null: it does not end. */
  readonly leavesAfterMs: number | null;
}

export interface WantedDeployment {
  readonly afterMs: number;
  readonly source: Exclude<Source, "internal_source">;
  /** Several deployments may want the same name. */
  readonly name: string;
  /** Index of its listener. */
  readonly listener: number;
  /** Whether it is created without a revision. */
  readonly hasNoRevision: boolean;
}

/** An action of the owner. `target`: index of a deployment or of a listener. */
export interface FleetAction {
  readonly afterMs: number;
  readonly kind: (typeof ACTIONS)[number];
  readonly target: number;
}

const ACTIONS = ["revise", "redeploy", "delete", "replace_listener"] as const;

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Probabilities of a fault in a world that has it. Crashes are drawn for each turn. */
const RATES: Partial<Record<Fault, readonly number[]>> = {
  crash_before_commit: [0.002, 0.01, 0.03],
  crash_after_commit: [0.002, 0.01, 0.03],
  eviction: [0.05, 0.5],
  slow_commit: [0.02, 0.2],
  late_call: [0.01, 0.03, 0.1, 0.3],
  listener_silent: [0.03, 0.1, 0.3],
  listener_dies: [0.03, 0.1, 0.3],
  report_twice: [0.1, 0.3],
  report_late: [0.1, 0.3],
  report_invalid: [0.1, 0.3],
  report_lost_lease: [0.5, 1],
};
const USUAL_RATES = [0.01, 0.03, 0.1];

/** Makes random numbers differ from those of the world of exports with the same seed. */
const FLEET_SALT = 0xf1ee7;

export function fleetScenarioOf(seed: number): FleetScenario {
  const random = new Random(seed ^ FLEET_SALT);
  const horizonMs = random.pick([MINUTE, 5 * MINUTE, 15 * MINUTE]);
  const instant = () => random.between(0, horizonMs);
  const rates = ratesOf(random);
  const leaves = rates.has("listener_leaves");
  const listeners = Array.from({ length: random.between(1, 2) }, () => ({
    processes: random.between(1, 3),
    pollEveryMs: random.pick([5, 10, 10, 30]) * SECOND,
    isSequential: random.chance(0.5),
    leavesAfterMs: leaves && random.chance(0.7) ? random.between(horizonMs / 2, horizonMs) : null,
  }));
  const deployments = Array.from({ length: random.between(1, 5) }, () => ({
    afterMs: random.chance(0.5) ? random.between(0, 100) : instant(),
    source: random.pick(["external_docker", "github"] as const),
    name: `agent ${random.between(1, 3)}`,
    listener: random.between(0, listeners.length - 1),
    hasNoRevision: random.chance(0.1),
  }));
  return {
    seed,
    startsAt: STARTS_AT,
    healsAfterMs: horizonMs,
    settings: {
      MASTER_KEYS: `simulated:${Buffer.alloc(32, 7).toString("base64")}`,
      ADMIN_KEY: "unused",
      RETRY_DELAY_MS: String(random.pick([100, 5 * SECOND, 30 * SECOND])),
    },
    rates,
    restartsAfterMs: Array.from({ length: rates.has("restart") ? random.between(1, 3) : 0 }, instant),
    listeners,
    deployments,
    actions: Array.from({ length: random.between(0, 10) }, () => ({
      afterMs: instant(),
      kind: random.chance(0.4) ? "revise" : random.pick(ACTIONS),
      target: random.between(0, 4),
    })),
  };
}

/** A few kinds of faults per world, so that each occurs often enough and is not hidden by others. */
function ratesOf(random: Random): ReadonlyMap<Fault, number> {
  const share = random.pick([0, 0.1, 0.25, 0.5]);
  const rates = new Map<Fault, number>();
  for (const fault of Object.keys({ ...PLATFORM_FAULTS, ...LISTENER_FAULTS }) as Fault[])
    if (random.chance(share)) rates.set(fault, random.pick(RATES[fault] ?? USUAL_RATES));
  return rates;
}
