import { statSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { withUsage } from "../usage.ts";

const USAGE = "Usage: npm run listener -- <directory> [--compute-id <name>] [--poll-ms <milliseconds>]";

export interface ListenerOptions {
  /** Holds one folder per agent. */
  readonly directory: string;
  readonly computeId: string;
  /** Interval of polls; null: the service decides. */
  readonly pollMs: number | null;
}

/** Reads the command line. Throws a DevFailure with the usage if it is not valid. */
export const readOptions = (args: readonly string[]): ListenerOptions =>
  withUsage(USAGE, () => {
    const options = { "compute-id": { type: "string" }, "poll-ms": { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [directory, ...others] = positionals;
    if (directory === undefined || others.length > 0) throw new Error("Name one directory.");
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`There is no directory ${resolve(directory)}.`);
    const pollText = values["poll-ms"] ?? null;
    if (pollText !== null && !/^[1-9]\d{0,8}$/.test(pollText))
      throw new Error(`--poll-ms must be a whole number of at least 1, in digits only; it is "${pollText}".`);
    return {
      directory: resolve(directory),
      computeId: values["compute-id"] ?? hostname(),
      pollMs: pollText === null ? null : Number(pollText),
    };
  });
