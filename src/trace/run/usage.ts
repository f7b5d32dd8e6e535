import { OPEN_OBJECT } from "../../json/bytes.ts";
import { type JsonRange, membersNamed, valueAt } from "../../json/scan.ts";

/** Tokens and costs of a run, as the conventions of the tracing libraries report them. */
export interface Usage {
  readonly total_tokens: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_cost: number | null;
  readonly prompt_cost: number | null;
  readonly completion_cost: number | null;
}

const NO_USAGE: Usage = {
  total_tokens: null,
  prompt_tokens: null,
  completion_tokens: null,
  total_cost: null,
  prompt_cost: null,
  completion_cost: null,
};

/** A member of an object, and a path in its value. */
interface Place {
  readonly member: string;
  readonly path: readonly (string | number)[];
}

const IN_EXTRA: Place = { member: "metadata", path: ["usage_metadata"] };

/** Places in `outputs`, first match counts; `extra` is searched between the first one and the others. */
const FIRST_IN_OUTPUTS: Place = { member: "usage_metadata", path: [] };
const OTHERS_IN_OUTPUTS: readonly Place[] = [
  { member: "llm_output", path: ["token_usage"] },
  { member: "llm_output", path: ["usage"] },
  { member: "llmOutput", path: ["tokenUsage"] },
  { member: "generations", path: [0, 0, "message", "kwargs", "usage_metadata"] },
  { member: "usage", path: [] },
];

/** Longest usage object that is parsed; real ones have a few hundred bytes. */
const MAX_USAGE_BYTES = 16 * 1024;

/** Reads the usage from raw JSON; null where there is none. A missing total is the sum of its parts. */
export function usageOf(outputs: Uint8Array | null, extra: Uint8Array | null): Usage {
  const inOutputs = seeker(outputs, [FIRST_IN_OUTPUTS, ...OTHERS_IN_OUTPUTS]);
  const reported =
    inOutputs([FIRST_IN_OUTPUTS]) ?? seeker(extra, [IN_EXTRA])([IN_EXTRA]) ?? inOutputs(OTHERS_IN_OUTPUTS);
  if (reported === null) return NO_USAGE;
  const prompt = tokens(reported, "input_tokens", "prompt_tokens", "promptTokens");
  const completion = tokens(reported, "output_tokens", "completion_tokens", "completionTokens");
  const promptCost = cost(reported, "input_cost", "prompt_cost");
  const completionCost = cost(reported, "output_cost", "completion_cost");
  return {
    total_tokens: tokens(reported, "total_tokens", "totalTokens") ?? tokenSum(prompt, completion),
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_cost: cost(reported, "total_cost") ?? sum(promptCost, completionCost),
    prompt_cost: promptCost,
    completion_cost: completionCost,
  };
}

type Reported = Readonly<Record<string, unknown>>;

/** Finds the first object among several places. The JSON text, which may be long, is scanned once for all of them. */
function seeker(json: Uint8Array | null, all: readonly Place[]): (places: readonly Place[]) => Reported | null {
  if (json === null) return () => null;
  const members = membersNamed(
    json,
    all.map(({ member }) => member),
  );
  return (places) => {
    for (const { member, path } of places) {
      const range = members.get(member);
      const found = range === undefined ? null : objectAt(json.subarray(range.start, range.end), path);
      if (found !== null) return found;
    }
    return null;
  };
}

function objectAt(json: Uint8Array, path: readonly (string | number)[]): Reported | null {
  const range: JsonRange | null = path.length === 0 ? { start: 0, end: json.length } : valueAt(json, path);
  if (range === null || json[range.start] !== OPEN_OBJECT || range.end - range.start > MAX_USAGE_BYTES) return null;
  // The scan above saw the opening brace of an object.
  return JSON.parse(new TextDecoder().decode(json.subarray(range.start, range.end))) as Reported;
}

function tokens(reported: Reported, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value = reported[name];
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  }
  return null;
}

/** Costs are numbers or decimal text. */
function cost(reported: Reported, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value = reported[name];
    const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof amount === "number" && Number.isFinite(amount)) return amount;
  }
  return null;
}

/** null also if the sum is no number that the column can hold. */
function sum(a: number | null, b: number | null): number | null {
  const total = (a ?? 0) + (b ?? 0);
  return (a === null && b === null) || !Number.isFinite(total) ? null : total;
}

function tokenSum(a: number | null, b: number | null): number | null {
  const total = sum(a, b);
  return Number.isSafeInteger(total) ? total : null;
}
