import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { runCommand } from "../../dev/failure.ts";
import { explore, type Found, type Share } from "./explore.ts";
import { FLEET_INVARIANTS } from "./fleet/invariants/index.ts";
import { INVARIANTS } from "./invariants/index.ts";
import { readOptions, type SimulationOptions } from "./options.ts";
import { EMPTY, sumOf, type Tally, totalOf } from "./tally.ts";

/**
 * `npm run simulate -- --seeds N --from S [--only exports|fleet] [--trace] [--plant <name>]`: runs N worlds of each kind.
 * Exits with 1 at the first violation of an invariant, and prints how to reproduce it.
 */

/** Processes for at least `MIN_SEEDS_TO_SHARE` seeds; fewer seeds run in one process. */
const PROCESSES = 2;
const MIN_SEEDS_TO_SHARE = 40;

/** Seeds between two lines of progress. */
const PROGRESS_EVERY = 1000;

/** A message of a child process: the tally of one seed, or at the end the violation. */
type ChildMessage = { readonly tally: Tally } | { readonly found: Found | null };

await runCommand(async () => {
  const options = readOptions(process.argv.slice(2));
  await (process.send === undefined ? lead(options) : follow(options));
});

async function lead(options: SimulationOptions): Promise<void> {
  const began = performance.now();
  let sum = EMPTY;
  const onTally = (tally: Tally) => {
    sum = sumOf(sum, tally);
    if (sum.seeds % PROGRESS_EVERY === 0) console.log(summaryOf(sum, performance.now() - began));
  };
  const isShared = !options.isTraced && options.seeds >= MIN_SEEDS_TO_SHARE;
  const found = isShared
    ? await shared(options, onTally)
    : await explore(shareOf(options), onTally, options.isTraced ? printLine : null);
  console.log(summaryOf(sum, performance.now() - began));
  console.log(`faults served: ${listOf(sum.faults)}`);
  console.log(`trace ${sum.trace.toString(16)}`);
  if (found === null) return;
  process.exitCode = 1;
  report(options, found);
}

/** Runs every n-th seed in each of n processes. The first violation ends all of them. */
async function shared(options: SimulationOptions, onTally: (tally: Tally) => void): Promise<Found | null> {
  const children: ChildProcess[] = [];
  const ends = Array.from({ length: PROCESSES }, (_, i) => {
    const child = fork(
      join(import.meta.dirname, "simulate.ts"),
      [
        "--from",
        `${options.from + i}`,
        "--seeds",
        `${options.seeds - i}`,
        "--step",
        `${PROCESSES}`,
        ...plantArguments(options),
        ...(options.kinds.length === 1 ? ["--only", ...options.kinds] : []),
      ],
      { execArgv: ["--import", join(import.meta.dirname, "hooks.ts")] },
    );
    children.push(child);
    return new Promise<Found | null>((resolve, reject) => {
      child.on("message", (message: ChildMessage) =>
        "tally" in message ? onTally(message.tally) : resolve(message.found),
      );
      child.on("exit", (code) => reject(new Error(`a process ended with ${code}`)));
    });
  });
  const firstFound = Promise.race(ends.map(async (end) => (await end) ?? new Promise<never>(() => undefined)));
  const found = await Promise.race([firstFound, Promise.all(ends).then(() => null)]);
  for (const child of children) child.kill();
  return found;
}

async function follow(options: SimulationOptions): Promise<void> {
  const tell = (message: ChildMessage) => process.send?.(message);
  try {
    tell({ found: await explore(shareOf(options), (tally) => tell({ tally }), null) });
  } finally {
    process.disconnect();
  }
}

function shareOf({ from, seeds, step, kinds }: SimulationOptions): Share {
  return { from, until: from + seeds, step, kinds };
}

function plantArguments({ plant }: SimulationOptions): readonly string[] {
  return plant === null ? [] : ["--plant", plant];
}

function report(options: SimulationOptions, { seed, kind, invariant, seen, lastEvents }: Found): void {
  const promises: readonly { readonly name: string; readonly promise: string }[] =
    kind === "exports" ? INVARIANTS : FLEET_INVARIANTS;
  const promise = promises.find(({ name }) => name === invariant)?.promise ?? "";
  const again = [
    "npm run simulate -- --seeds 1 --from",
    seed,
    "--only",
    kind,
    "--trace",
    ...plantArguments(options),
  ].join(" ");
  if (!options.isTraced) for (const line of lastEvents) console.log(line);
  console.log(`\nseed ${seed} breaks ${invariant}: ${promise}\nseen: ${seen}\nreplay: ${again}`);
}

function summaryOf(tally: Tally, ms: number): string {
  const { seeds, events, rows, exports, revisions } = tally;
  const pace = Math.round((1000 * seeds) / ms);
  const ended = Object.entries({ exports, revisions }).flatMap(([what, counts]) =>
    totalOf(counts) === 0 ? [] : [`${totalOf(counts)} ${what} (${listOf(counts)})`],
  );
  return [`${seeds} seeds (${pace}/s)`, ...ended, `${rows} rows`, `${events} events`].join(", ");
}

/** Not with console.log, which is the simulated log while a world runs. */
function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

function listOf(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ");
}
