import { type Random, seededRandom } from "./random.ts";
import { proseMaker } from "./text.ts";

/** One run as a client sends it, with the values that the service must derive. Times are epoch microseconds. */
export interface GeneratedRun {
  readonly id: string;
  readonly traceId: string;
  readonly parents: readonly string[];
  readonly dottedOrder: string;
  readonly name: string;
  readonly runType: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly tags: readonly string[];
  readonly error: string | null;
  /** JSON text, which must be exported unchanged. */
  readonly inputs: string;
  readonly outputs: string | null;
  readonly extra: string;
  readonly events: string | null;
  readonly usage: Usage | null;
  readonly firstTokenTime: number | null;
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly promptCost: number;
  readonly completionCost: number;
}

const MODELS = ["small-model-1", "large-model-1", "reasoning-model-1"];
const TOOLS = ["search_orders", "read_page", "run_query", "send_mail"];
/** All traces begin within this time. Some dozens are open at any time, so their runs are interleaved. */
const SPREAD_MICROS = 3_600_000_000;
const ERROR_SHARE = 0.016;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Generates traces of an agent in the proportions of a production system: chains, model calls, prompts, tools,
 * retrievers and parsers. A child repeats its parent's messages. Message lengths are log-normal; a run has about 5 KB.
 * The runs begin within the UTC day that starts at `dayStart` (epoch milliseconds). Deterministic.
 */
export const generateRuns = (count: number, seed: number, dayStart: number): GeneratedRun[] => {
  const random = seededRandom(seed);
  const prose = proseMaker(random);
  const systems = Array.from({ length: 12 }, () => message("system", prose(random.logNormal(1000, 0.4))));
  const runs: GeneratedRun[] = [];
  while (runs.length < count) {
    const system = systems[random.below(systems.length)] ?? "";
    const startTime = dayStart * 1000 + Math.floor(random.fraction() * SPREAD_MICROS);
    runs.push(...trace(random, prose, system, startTime));
  }
  return runs.slice(0, count).sort((a, b) => a.startTime - b.startTime);
};

const message = (role: string, content: string): string => JSON.stringify({ role, content });

/** Probabilities of the kinds of runs in a step and of another step, and the maximum number of steps. */
const STEP = { prompt: 0.52, tool: 0.48, retriever: 0.28, parser: 0.2, another: 0.47, max: 6 };

const trace = (
  random: Random,
  prose: (length: number) => string,
  system: string,
  startTime: number,
): GeneratedRun[] => {
  const runs: GeneratedRun[] = [];
  const messages = [system, message("user", prose(random.logNormal(400, 1)))];
  const listed = (): string => `{"messages":[${messages.join(",")}]}`;
  let now = startTime;
  const advance = (medianMicros: number): number => {
    now += Math.ceil(random.logNormal(medianMicros, 0.6));
    return now;
  };
  const root = begin(random, null, "agent", "chain", now, listed());
  for (let step = 0; step < STEP.max; step++) {
    advance(300);
    const chain = begin(random, root, "step", "chain", now, listed());
    if (random.fraction() < STEP.prompt) {
      const prompt = begin(random, chain, "chat prompt", "prompt", advance(100), `{"question":${messages[1]}}`);
      runs.push(end(random, prompt, advance(400), listed()));
    }
    const model = begin(random, chain, MODELS[random.below(MODELS.length)] ?? "", "llm", advance(200), listed());
    const answer = prose(random.logNormal(320, 0.9));
    const firstToken = advance(350_000);
    const usage = usageOf(listed().length, answer.length);
    runs.push(endModel(random, model, advance(900_000), answer, usage, firstToken));
    messages.push(message("assistant", answer));
    if (random.fraction() < STEP.parser) {
      const parser = begin(random, chain, "answer parser", "parser", advance(100), message("assistant", answer));
      runs.push(end(random, parser, advance(200), JSON.stringify({ output: answer })));
    }
    if (random.fraction() < STEP.tool) {
      const input = JSON.stringify({ input: prose(random.logNormal(90, 0.5)) });
      const tool = begin(random, chain, TOOLS[random.below(TOOLS.length)] ?? "", "tool", advance(500), input);
      const result = prose(random.logNormal(600, 1.1));
      runs.push(end(random, tool, advance(120_000), JSON.stringify({ output: result })));
      messages.push(message("tool", result));
    }
    if (random.fraction() < STEP.retriever) {
      const query = begin(
        random,
        chain,
        "search",
        "retriever",
        advance(300),
        JSON.stringify({ query: answer.slice(0, 80) }),
      );
      const found = Array.from({ length: 3 }, (_, rank) => ({
        page_content: prose(random.logNormal(700, 0.6)),
        metadata: { rank },
      }));
      runs.push(end(random, query, advance(60_000), JSON.stringify({ documents: found })));
      messages.push(message("tool", found[0]?.page_content ?? ""));
    }
    runs.push(end(random, chain, advance(500), listed()));
    if (random.fraction() >= STEP.another) break;
  }
  runs.push(end(random, root, advance(500), `{"output":${messages.at(-1)}}`));
  return runs;
};

type Begun = Omit<GeneratedRun, "endTime" | "error" | "outputs" | "events" | "usage" | "firstTokenTime">;

const begin = (
  random: Random,
  parent: Begun | null,
  name: string,
  runType: string,
  startTime: number,
  inputs: string,
): Begun => {
  const id = random.uuid7(Math.floor(startTime / 1000));
  const own = `${dottedTime(startTime)}${id}`;
  const revision = `r${random.below(5)}`;
  const model = runType === "llm" ? { ls_model_name: name, ls_provider: "bench", ls_temperature: 0.2 } : {};
  const runtime = { library: "langsmith", runtime: "node", sdk: "langsmith-js", sdk_version: "0.10.5" };
  return {
    id,
    traceId: parent?.traceId ?? id,
    parents: parent ? [...parent.parents, parent.id] : [],
    dottedOrder: parent ? `${parent.dottedOrder}.${own}` : own,
    name,
    runType,
    startTime,
    inputs,
    tags: parent ? [] : ["production", revision],
    extra: JSON.stringify({ metadata: { revision_id: revision, ...model }, runtime }),
  };
};

const end = (random: Random, run: Begun, endTime: number, outputs: string): GeneratedRun => {
  const failed = random.fraction() < ERROR_SHARE;
  return {
    ...run,
    endTime,
    outputs: failed ? null : outputs,
    error: failed ? `Error: ${run.name} gave no answer in time` : null,
    events: null,
    usage: null,
    firstTokenTime: null,
  };
};

const endModel = (
  random: Random,
  run: Begun,
  endTime: number,
  answer: string,
  usage: Usage,
  firstToken: number,
): GeneratedRun => {
  const usage_metadata = {
    input_tokens: usage.promptTokens,
    output_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    input_cost: usage.promptCost,
    output_cost: usage.completionCost,
    total_cost: usage.promptCost + usage.completionCost,
  };
  const ended = end(random, run, endTime, JSON.stringify({ role: "assistant", content: answer, usage_metadata }));
  const events = JSON.stringify([
    { name: "start", time: isoMicros(run.startTime) },
    { name: "new_token", time: isoMicros(firstToken) },
    { name: "end", time: isoMicros(endTime) },
  ]);
  return { ...ended, events, firstTokenTime: firstToken, usage: ended.outputs === null ? null : usage };
};

const usageOf = (promptCharacters: number, completionCharacters: number): Usage => {
  const promptTokens = Math.ceil(promptCharacters / CHARACTERS_PER_TOKEN);
  const completionTokens = Math.ceil(completionCharacters / CHARACTERS_PER_TOKEN);
  return {
    promptTokens,
    completionTokens,
    promptCost: promptTokens * 3e-6,
    completionCost: completionTokens * 15e-6,
  };
};

/** `2026-01-15T10:00:00.123456Z` */
export const isoMicros = (micros: number): string => {
  const milliseconds = Math.floor(micros / 1000);
  const rest = String(micros % 1000).padStart(3, "0");
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
};

/** `20260115T100000123456Z`, the beginning of a segment of a dotted order. */
const dottedTime = (micros: number): string => isoMicros(micros).replaceAll(/[-:.]/g, "");
