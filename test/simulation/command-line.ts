import { spawnSync } from "node:child_process";
import { join } from "node:path";

const HERE = import.meta.dirname;

/** What `npm run simulate` said. */
export interface Said {
  readonly exitCode: number | null;
  readonly text: string;
}

/** Runs the simulation as anybody else does. */
export function simulate(...parameters: readonly string[]): Said {
  const child = spawnSync(process.execPath, [join(HERE, "simulate.mjs"), ...parameters], { encoding: "utf8" });
  return { exitCode: child.status, text: `${child.stdout}${child.stderr}` };
}

/** Exports that were simulated, COMPLETED or not. */
export const exportsIn = ({ text }: Said): number => Number(/(\d+) exports/.exec(text)?.[1] ?? 0);

/** Revisions of deployments that were simulated, DEPLOYED or not. */
export const revisionsIn = ({ text }: Said): number => Number(/(\d+) revisions/.exec(text)?.[1] ?? 0);

export const traceIn = ({ text }: Said): string | undefined => /^trace (\w+)$/m.exec(text)?.[1];

/** How often each kind of fault was served. */
export function faultsIn({ text }: Said): ReadonlyMap<string, number> {
  const [, list = ""] = /^faults served: (.*)$/m.exec(text) ?? [];
  return new Map(list.split(", ").map((one) => [one.split(" ")[0] ?? "", Number(one.split(" ")[1])]));
}
