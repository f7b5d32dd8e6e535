import { spawnSync } from "node:child_process";
import { join } from "node:path";

const HERE = import.meta.dirname;

/** Output of `npm run simulate`. */
export interface Output {
  readonly exitCode: number | null;
  readonly text: string;
}

/** Runs the simulation from the command line. */
export function simulate(...parameters: readonly string[]): Output {
  const child = spawnSync(process.execPath, [join(HERE, "simulate.mjs"), ...parameters], { encoding: "utf8" });
  return { exitCode: child.status, text: `${child.stdout}${child.stderr}` };
}

/** Number of simulated exports, with any final status. */
export const exportsIn = ({ text }: Output): number => Number(/(\d+) exports/.exec(text)?.[1] ?? 0);

/** Number of simulated revisions, with any final status. */
export const revisionsIn = ({ text }: Output): number => Number(/(\d+) revisions/.exec(text)?.[1] ?? 0);

export const traceIn = ({ text }: Output): string | undefined => /^trace (\w+)$/m.exec(text)?.[1];

/** Number of injected faults by kind. */
export function faultsIn({ text }: Output): ReadonlyMap<string, number> {
  const [, list = ""] = /^faults served: (.*)$/m.exec(text) ?? [];
  return new Map(list.split(", ").map((one) => [one.split(" ")[0] ?? "", Number(one.split(" ")[1])]));
}
