import { parseArgs } from "node:util";
import { withUsage } from "../dev/usage.ts";

export interface BenchOptions {
  readonly runs: number;
  readonly rounds: number;
  /** Whether the last line is one JSON object. */
  readonly json: boolean;
}

const MIN_ROUNDS = 1;

const USAGE = "Usage: npm run bench -- [--runs <number>] [--rounds <number>] [--json]";

/** Reads the command line, such as `--runs 100000 --rounds 5 --json`. Throws a DevFailure if it is not valid. */
export const readOptions = (args: readonly string[]): BenchOptions =>
  withUsage(USAGE, () => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        runs: { type: "string", default: "100000" },
        rounds: { type: "string", default: "5" },
        json: { type: "boolean", default: false },
      },
    });
    return {
      runs: count("runs", values.runs, 1),
      rounds: count("rounds", values.rounds, MIN_ROUNDS),
      json: values.json,
    };
  });

const count = (name: string, text: string, min: number): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min) return value;
  throw new Error(`--${name} must be a whole number of at least ${min}, not "${text}".`);
};
