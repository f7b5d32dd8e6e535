import { parseArgs } from "node:util";
import { withUsage } from "../../dev/usage.ts";
import { KINDS, type Kind } from "./explore.ts";

export interface SimulationOptions {
  readonly seeds: number;
  readonly from: number;
  /** Every so many seeds one: the others are another process's. */
  readonly step: number;
  readonly kinds: readonly Kind[];
  readonly isTraced: boolean;
  /** null: the product as it is. */
  readonly plant: string | null;
}

const USAGE =
  "Usage: npm run simulate -- [--seeds <number>] [--from <seed>] [--only exports|fleet] [--trace] [--plant <name>]";

/** Reads the command line. Throws a DevFailure for what it cannot understand: no world lived would look like no fault found. */
export function readOptions(args: readonly string[]): SimulationOptions {
  return withUsage(USAGE, () => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seeds: { type: "string", default: "1000" },
        from: { type: "string", default: "1" },
        step: { type: "string", default: "1" },
        only: { type: "string" },
        trace: { type: "boolean", default: false },
        plant: { type: "string" },
      },
    });
    return {
      seeds: numberOf("seeds", values.seeds, 1),
      from: numberOf("from", values.from, 0),
      step: numberOf("step", values.step, 1),
      kinds: values.only === undefined ? KINDS : [kindOf(values.only)],
      isTraced: values.trace,
      plant: values.plant ?? null,
    };
  });
}

function numberOf(name: string, text: string, least: number): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`--${name} must be a whole number of at least ${least}, in digits only; it is "${text}".`);
}

function kindOf(text: string): Kind {
  const kind = KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw new Error(`--only must be one of ${KINDS.join(", ")}; it is "${text}".`);
}
