import { parseArgs } from "node:util";
import { withUsage } from "../../dev/usage.ts";
import { KINDS, type Kind } from "./explore.ts";

export interface SimulationOptions {
  readonly seeds: number;
  readonly from: number;
  /** Every `step`-th seed is run; other processes run the others. */
  readonly step: number;
  readonly kinds: readonly Kind[];
  readonly isTraced: boolean;
  /** null: the product without a mistake. */
  readonly plant: string | null;
}

const USAGE =
  "Usage: npm run simulate -- [--seeds <number>] [--from <seed>] [--only exports|fleet] [--trace] [--plant <name>]";

/** Reads the command line. Throws a DevFailure if it is not valid: running no world would look like finding no fault. */
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

function numberOf(name: string, text: string, min: number): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= min) return Number(text);
  throw new Error(`--${name} must be a whole number of at least ${min}, in digits only; it is "${text}".`);
}

function kindOf(text: string): Kind {
  const kind = KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw new Error(`--only must be one of ${KINDS.join(", ")}; it is "${text}".`);
}
