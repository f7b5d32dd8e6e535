import type { Actor, Incarnation } from "./actor.ts";
import type { Platform } from "./platform.ts";

/** Usual and maximum delay of a call between two actors, one direction, in ms. */
const USUAL_MS = 3;
const MAX_MS = 120_000;

/** Makes a later call of the same caller arrive after an earlier one. */
const STEP_MS = 0.001;

const LOST = "Network connection lost.";

/** Methods whose parameters contain plain credentials of a destination; elsewhere they are sealed. */
const GIVEN_SECRETS = ["createDestination", "updateDestination", "create", "update"];

/** Methods that return secrets of an agent server to its listener. */
const ANSWERING_SECRETS = ["offer", "poll"];

/** A stub: every method is a call through the network; parameters and results are copied. */
export function callsFrom(platform: Platform, caller: Incarnation | null, callee: Actor): object {
  return new Proxy(
    {},
    {
      get: (_, method) =>
        typeof method === "string" && method !== "then"
          ? (...parameters: unknown[]) => call(platform, caller, callee, method, parameters)
          : undefined,
    },
  );
}

function call(
  platform: Platform,
  caller: Incarnation | null,
  callee: Actor,
  method: string,
  given: readonly unknown[],
): Promise<unknown> {
  const { kernel, faults } = platform;
  const parameters = structuredClone(given);
  const what = `${callee.name} ${method}`;
  if (!GIVEN_SECRETS.includes(method)) platform.watch.onText(JSON.stringify(parameters), `a call of ${what}`);
  return new Promise((resolve, reject) => {
    if (caller !== null) caller.waitsFor += 1;
    let isSettled = false;
    const settle = (label: string, tell: () => void) => {
      if (isSettled) return;
      isSettled = true;
      const heard = () => {
        if (caller !== null) caller.waitsFor -= 1;
        tell();
      };
      kernel.plan(kernel.random.fraction() * USUAL_MS, `${label} ${what}`, heard, caller);
    };
    const fail = (message: string) => settle("failed", () => reject(new Error(message)));
    const answer = (value: unknown) => {
      if (faults.occurs("lost_answer")) return fail(LOST);
      const copy = structuredClone(value);
      if (!ANSWERING_SECRETS.includes(method))
        platform.watch.onText(JSON.stringify(copy) ?? "", `an answer of ${what}`);
      settle("answer", () => resolve(copy));
    };
    const leave = () => {
      if (faults.occurs("lost_call")) return fail(LOST);
      const delayMs = delayOf(platform, caller, callee);
      kernel.plan(delayMs, `call ${what}`, () => callee.receive({ method, parameters, answer, fail }));
    };
    if (caller === null) leave();
    else caller.send(leave);
  });
}

/** Calls of one incarnation to one actor arrive in their order. */
function delayOf({ kernel, faults }: Platform, caller: Incarnation | null, callee: Actor): number {
  const longest = faults.occurs("late_call") ? MAX_MS : USUAL_MS;
  const delayMs = kernel.random.fraction() * longest;
  if (caller === null) return delayMs;
  const at = Math.max(kernel.now + delayMs, (caller.arrivals.get(callee) ?? 0) + STEP_MS);
  caller.arrivals.set(callee, at);
  return at - kernel.now;
}
