import { DAY_MS, dayOf, startOfDay } from "../../../src/domain/shared/time.ts";

/** A run with the names of the ingest API, with JSON members as the exact text that is sent. */
export interface SentRun {
  readonly id: string;
  readonly traceId: string;
  readonly parents: readonly string[];
  readonly name: string;
  readonly runType: string;
  /** Epoch microseconds. */
  readonly startTime: number;
  readonly endTime: number | null;
  readonly inputs: string | null;
  readonly outputs: string | null;
  readonly extra: string | null;
  readonly events: string | null;
  readonly error: string | null;
  readonly tags: readonly string[] | null;
  /** The values that the service must derive from outputs and events. */
  readonly usage: Usage | null;
  readonly firstTokenTime: number | null;
}

export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly promptCost: number;
  readonly completionCost: number;
}

/** Midnight of the first of the three days that have runs; fixed, so that a failure repeats. */
export const FIRST_DAY = startOfDay("2026-08-30");

/** Five megabytes in one value: more than a page, a row of SQLite or a message between actors takes at once. */
const HUGE = JSON.stringify({ text: "Ein langer Text über 東京 und 🚚. ".repeat(120_000) });

/** Texts that a careless service changes: each must be exported unchanged. */
const AWKWARD_JSON: readonly string[] = [
  '{"question":"Größe, naïve, 東京, 🚚, \\u0000\\u001f\\/"}',
  '{"lone surrogate":"\\ud83d","pair":"\\ud83d\\ude9a"}',
  '{"a":null,"b":[null,{"c":null,"d":[[],{}]}]}',
  "{}",
  '{ "spaced" :\t[ 1 ,\n2 ] }',
  '{"z":1,"a":2,"z":3}',
  '{"numbers":[1.0,-0,1e400,0.1e-7,123456789012345678901234567890,1E5]}',
  '{"html":"<b>\\"x\\"</b> \\\\ end"}',
  HUGE,
  '{"empty":"","deep":[[[[[[[[[[[[[[[[{}]]]]]]]]]]]]]]]]}',
];

const LARGE_TOKEN_COUNT = 3_000_000_000;

/** Runs of three days, among them the first and the last microsecond of a day. The same at every call. */
export const sentRuns = (): SentRun[] => {
  const runs: SentRun[] = [];
  for (let day = 0; day < 3; day++) {
    const midnight = (FIRST_DAY + day * DAY_MS) * 1000;
    const root = sentRun(day * 100, midnight, null);
    runs.push(root);
    AWKWARD_JSON.forEach((json, index) => {
      const startTime = midnight + (index + 1) * 3_600_000_000 + 123_456;
      runs.push({ ...sentRun(day * 100 + index + 1, startTime, root), ...variation(index, json, startTime) });
    });
    runs.push(sentRun(day * 100 + 99, midnight + DAY_MS * 1000 - 1, root));
  }
  return runs;
};

const variation = (index: number, json: string, startTime: number): Partial<SentRun> => {
  switch (index % 4) {
    case 0:
      return { inputs: json, outputs: '{"ok":true}', tags: [] };
    case 1:
      return { inputs: json, outputs: null, error: `Error: "no answer" from 東京\n  at line ${index}`, tags: null };
    case 2:
      return { inputs: '{"in":1}', outputs: json, endTime: null, extra: null };
    default:
      return model(json, startTime);
  }
};

const model = (json: string, startTime: number): Partial<SentRun> => {
  const usage = { prompt: LARGE_TOKEN_COUNT, completion: 7, promptCost: 0.125, completionCost: 0.5 };
  const firstTokenTime = startTime + 250_001;
  return {
    runType: "llm",
    inputs: json,
    outputs: `{"usage_metadata":{"input_tokens":${usage.prompt},"output_tokens":7,"total_tokens":${usage.prompt + 7},"input_cost":0.125,"output_cost":0.5,"total_cost":0.625},"content":"a"}`,
    events: `[{"name":"start"},{"name":"new_token","time":"${isoMicros(firstTokenTime)}"},{"name":"end","x":null}]`,
    usage,
    firstTokenTime,
  };
};

const sentRun = (number: number, startTime: number, parent: SentRun | null): SentRun => {
  const id = `018f0000-0000-7000-8000-${String(number).padStart(12, "0")}`;
  return {
    id,
    traceId: parent?.traceId ?? id,
    parents: parent ? [...parent.parents, parent.id] : [],
    name: `run ${number} “ü”`,
    runType: "chain",
    startTime,
    endTime: startTime + 1_500_001,
    inputs: '{"n":1}',
    outputs: '{"n":2}',
    extra: '{"metadata":{"k":"v"}}',
    events: null,
    error: null,
    tags: ["a", 'with "quotes", commas', ""],
    usage: null,
    firstTokenTime: null,
  };
};

/** `2026-01-15T10:00:00.123456Z` */
export const isoMicros = (micros: number): string => {
  const milliseconds = Math.floor(micros / 1000);
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, "0")}Z`;
};

export const dottedOrder = (run: SentRun, all: ReadonlyMap<string, SentRun>): string =>
  [...run.parents.flatMap((id) => all.get(id) ?? []), run]
    .map((step) => `${isoMicros(step.startTime).replaceAll(/[-:.]/g, "")}${step.id}`)
    .join(".");

/** The run's UTC day. */
export const dayOfRun = (run: SentRun): string => dayOf(Math.floor(run.startTime / 1000));

/** Body of POST /runs/batch with the runs' JSON texts unchanged. */
export const batchBody = (runs: readonly SentRun[], project: string): string => {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const posts = runs.map((run) => {
    const members = [
      ["id", JSON.stringify(run.id)],
      ["trace_id", JSON.stringify(run.traceId)],
      ["dotted_order", JSON.stringify(dottedOrder(run, byId))],
      ["session_name", JSON.stringify(project)],
      ["name", JSON.stringify(run.name)],
      ["run_type", JSON.stringify(run.runType)],
      ["start_time", JSON.stringify(isoMicros(run.startTime))],
      ["end_time", run.endTime === null ? null : JSON.stringify(isoMicros(run.endTime))],
      ["parent_run_id", run.parents.length === 0 ? null : JSON.stringify(run.parents.at(-1))],
      ["inputs", run.inputs],
      ["outputs", run.outputs],
      ["extra", run.extra],
      ["events", run.events],
      ["error", run.error === null ? null : JSON.stringify(run.error)],
      ["tags", run.tags === null ? null : JSON.stringify(run.tags)],
    ];
    const written = members.flatMap(([name, value]) => (value === null ? [] : [`"${name}":${value}`]));
    return `{${written.join(",")}}`;
  });
  return `{"post":[${posts.join(",")}],"patch":[]}`;
};
