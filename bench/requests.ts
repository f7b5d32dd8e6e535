import { type GeneratedRun, isoMicros } from "./generate.ts";

/** One request to the ingest API. */
export interface IngestRequest {
  readonly contentType: string;
  readonly body: Uint8Array;
}

const BOUNDARY = "----WaybillBenchBoundary";
/** Default batch size of the langsmith SDK. */
const CHANGES_PER_REQUEST = 100;

interface Change {
  readonly at: number;
  readonly parts: string;
}

/**
 * The runs as the langsmith SDK sends them: multipart requests of 100 changes, ordered by time. A root run is posted when
 * it begins and patched when it ends. Other runs are shorter than the SDK's batch delay, so each is one post.
 */
export const requestsFor = (runs: readonly GeneratedRun[], project: string): IngestRequest[] => {
  const changes = runs.flatMap((run) => changesOf(run, project)).sort((a, b) => a.at - b.at);
  const requests: IngestRequest[] = [];
  for (let first = 0; first < changes.length; first += CHANGES_PER_REQUEST) {
    const parts = changes.slice(first, first + CHANGES_PER_REQUEST).map((change) => change.parts);
    requests.push({
      contentType: `multipart/form-data; boundary=${BOUNDARY}`,
      body: new TextEncoder().encode(`${parts.join("")}--${BOUNDARY}--\r\n`),
    });
  }
  return requests;
};

const changesOf = (run: GeneratedRun, project: string): Change[] => {
  const isRoot = run.parents.length === 0;
  const head = {
    session_name: project,
    id: run.id,
    name: run.name,
    run_type: run.runType,
    start_time: isoMicros(run.startTime),
    trace_id: run.traceId,
    dotted_order: run.dottedOrder,
    child_runs: [],
    tags: run.tags,
    ...(isRoot ? {} : { parent_run_id: run.parents.at(-1) }),
  };
  // As text, because the SDK's number has milliseconds only, and the service must keep microseconds.
  const ended = { ...head, end_time: isoMicros(run.endTime) };
  const begin = [part(`post.${run.id}.inputs`, run.inputs), part(`post.${run.id}.extra`, run.extra)];
  const finish = (kind: string): string[] => [
    ...(run.outputs === null ? [] : [part(`${kind}.${run.id}.outputs`, run.outputs)]),
    ...(run.events === null ? [] : [part(`${kind}.${run.id}.events`, run.events)]),
    ...(run.error === null ? [] : [part(`${kind}.${run.id}.error`, JSON.stringify(run.error))]),
  ];
  if (!isRoot) {
    const parts = [part(`post.${run.id}`, JSON.stringify(ended)), ...begin, ...finish("post")].join("");
    return [{ at: run.endTime, parts }];
  }
  return [
    { at: run.startTime, parts: [part(`post.${run.id}`, JSON.stringify(head)), ...begin].join("") },
    { at: run.endTime, parts: [part(`patch.${run.id}`, JSON.stringify(ended)), ...finish("patch")].join("") },
  ];
};

const part = (name: string, json: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json; length=${Buffer.byteLength(json)}\r\n\r\n${json}\r\n`;
