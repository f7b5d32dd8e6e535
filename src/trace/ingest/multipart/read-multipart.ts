import { ok, type Result } from "../../../domain/shared/result.ts";
import { canonicalUuid } from "../../../domain/shared/run-id.ts";
import {
  BIG_FIELDS,
  type BigField,
  checkPost,
  type Invalid,
  invalid,
  MAX_CHANGE_BYTES,
  NO_FIELDS,
  type RunChange,
  tooLarge,
} from "../../run/change.ts";
import { feedbackChange, MAX_FEEDBACK_BYTES } from "../../run/feedback.ts";
import { ByteSource, MAX_BODY_BYTES } from "../body/byte-source.ts";
import { bigField, runChange } from "../parse-run.ts";
import { type MultipartPart, multipartParts, type Wanted } from "./parts.ts";

/** Pending bytes above which runs that look complete are emitted before the body ends. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;

/**
 * Limit of bytes of fields that wait for their run's own part, in addition to one whole run: isolates have 128 MB, and
 * every known client sends a run's own part first [LIM-24].
 */
const MAX_HELD_BYTES = MAX_PENDING_BYTES + MAX_CHANGE_BYTES;

/** Most runs of one body. A little of each run stays in memory until the end [LIM-24]. */
const MAX_RUNS = 20_000;

/**
 * Reads a multipart body while it streams in: parts `post.<id>` and `patch.<id>`, each with parts of its big fields,
 * and `feedback.<id>`. Attachments and `serialized` are skipped.
 *
 * The parts of a run may arrive in any order and are joined into one change. A second own part of a run begins another
 * change. When more than 8 MiB are pending, runs whose own part has arrived are emitted; later parts of such a run
 * become a further change. Beyond 32 MiB, runs are refused whose fields come before their own part.
 *
 * A refused run yields one refusal, and reading continues. If the body itself is broken, a last refusal ends the
 * reading: emitted runs stay accepted, pending ones are dropped, and it is safe to repeat the body.
 */
export async function* readMultipart(
  body: ReadableStream<Uint8Array>,
  boundary: string,
  maxBytes: number = MAX_BODY_BYTES,
): AsyncGenerator<Result<RunChange, Invalid>> {
  const source = new ByteSource(body, maxBytes);
  const gathering: Gathering = { runs: new Map(), bytes: 0 };
  try {
    for await (const parts of multipartParts(source, boundary, classify)) {
      if (!parts.ok) return yield parts;
      for (const part of parts.value) {
        for (const change of takePart(gathering, part)) {
          yield change;
          if (!change.ok && change.failure.loc[0] === "body") return;
        }
      }
    }
    for (const run of gathering.runs.values()) yield* handOn(gathering, run);
  } finally {
    await source.close();
  }
}

/** The parts of one run that have arrived and were not emitted yet. */
interface GatheredRun {
  readonly kind: "post" | "patch";
  readonly id: string;
  /** The run's own part. After it was emitted, it is kept without big fields to identify the run of later parts. */
  own: RunChange | null;
  fields: Partial<Record<BigField, Uint8Array>>;
  waiting: boolean;
  /** Bytes held now, and bytes of all parts so far. */
  held: number;
  total: number;
  refused: boolean;
}

interface Gathering {
  readonly runs: Map<string, GatheredRun>;
  bytes: number;
}

type Named =
  | { readonly what: "run"; readonly kind: "post" | "patch"; readonly id: string; readonly field: BigField | null }
  | { readonly what: "feedback"; readonly id: string }
  | { readonly what: "passed_over" }
  | { readonly what: "unknown" };

function* takePart(gathering: Gathering, part: MultipartPart<Named>): Generator<Result<RunChange, Invalid>> {
  const named = part.kind;
  const loc = [part.name];
  switch (named.what) {
    case "passed_over":
      return;
    case "unknown":
      yield invalid(loc, "must be post.<id>, patch.<id>, feedback.<id> or attachment.<id>.<name>", "part_name");
      return;
    case "feedback":
      if (part.content === "encoded") yield encoded(part.name);
      else if (part.content === "too_large")
        yield invalid(loc, `a feedback may hold at most ${MAX_FEEDBACK_BYTES} bytes`, "too_large");
      else if (part.content !== null) yield feedbackChange(part.content, named.id, loc);
      return;
    case "run": {
      const run = gatheredRun(gathering, named.kind, named.id);
      if (run === null) yield invalid(["body"], `a body may hold at most ${MAX_RUNS} runs`, "too_large");
      else if (!run.refused) yield* takeRunPart(gathering, run, named.field, part);
      return;
    }
  }
}

function* takeRunPart(
  gathering: Gathering,
  run: GatheredRun,
  field: BigField | null,
  part: MultipartPart<Named>,
): Generator<Result<RunChange, Invalid>> {
  // A second own part begins another change; the first one stays valid.
  if (field === null && run.own !== null) yield* handOn(gathering, run);
  const added = addPart(run, field, part);
  if (!added.ok) return yield refused(gathering, run, added);
  gathering.bytes += added.value;
  if (gathering.bytes <= MAX_PENDING_BYTES) return;
  for (const other of gathering.runs.values()) if (other !== run && other.own !== null) yield* handOn(gathering, other);
  if (gathering.bytes <= MAX_HELD_BYTES) return;
  if (run.own !== null) return yield* handOn(gathering, run);
  yield refused(gathering, run, invalid([part.name], "comes too long before the run's own part", "too_large"));
}

/** Drops the held parts of the run and ignores its later ones. */
function refused<Refusal>(gathering: Gathering, run: GatheredRun, refusal: Refusal): Refusal {
  release(gathering, run);
  run.refused = true;
  return refusal;
}

/** Adds the part to its run; answers how many bytes are now held for the run. */
function addPart(run: GatheredRun, field: BigField | null, part: MultipartPart<Named>): Result<number, Invalid> {
  const loc = [part.name];
  const { content } = part;
  if (content === "encoded") return encoded(part.name);
  if (!(content instanceof Uint8Array)) return tooLarge(loc);
  run.total += content.length;
  if (run.total > MAX_CHANGE_BYTES) return tooLarge(loc);
  if (field === null) {
    const change = runChange(content, { kind: run.kind, id: run.id, loc });
    const checked = change.ok ? checkPost(change.value, loc) : change;
    if (!checked.ok) return checked;
    run.own = checked.value;
  } else {
    const value = bigField(field, content, loc);
    if (!value.ok) return value;
    if (value.value !== null) run.fields[field] = value.value;
  }
  run.held += content.length;
  run.waiting = true;
  return ok(content.length);
}

function* handOn(gathering: Gathering, run: GatheredRun): Generator<Result<RunChange, Invalid>> {
  if (!run.waiting) return;
  const { kind, id, own } = run;
  const address: RunChange = { ...NO_FIELDS, kind, id, project: null, feedback: null };
  const change: RunChange = { ...(own ?? address), ...run.fields };
  release(gathering, run);
  if (own === null) {
    yield kind === "patch" ? ok(change) : invalid([`post.${id}`], "fields came, but not the run itself", "missing");
    return;
  }
  run.own = { ...address, project: own.project, start_time: own.start_time, dotted_order: own.dotted_order };
  yield ok(change);
}

function release(gathering: Gathering, run: GatheredRun): void {
  gathering.bytes -= run.held;
  run.held = 0;
  run.fields = {};
  run.waiting = false;
}

/** The run that a part belongs to; null when there are too many runs. */
function gatheredRun(gathering: Gathering, kind: "post" | "patch", id: string): GatheredRun | null {
  const key = `${kind}.${id}`;
  const known = gathering.runs.get(key);
  if (known !== undefined) return known;
  if (gathering.runs.size === MAX_RUNS) return null;
  const run: GatheredRun = { kind, id, own: null, fields: {}, waiting: false, held: 0, total: 0, refused: false };
  gathering.runs.set(key, run);
  return run;
}

function classify(name: string): Wanted<Named> {
  const kind = readName(name);
  switch (kind.what) {
    case "run":
      return { kind, maxBytes: MAX_CHANGE_BYTES };
    case "feedback":
      return { kind, maxBytes: MAX_FEEDBACK_BYTES };
    case "passed_over":
    case "unknown":
      return { kind, maxBytes: 0 };
  }
}

function readName(name: string): Named {
  const [what = "", idText = "", field] = name.split(".", 3);
  if (what === "attachment") return { what: "passed_over" };
  const id = canonicalUuid(idText);
  if (id === null) return { what: "unknown" };
  if (what === "feedback") return { what: "feedback", id };
  if (what !== "post" && what !== "patch") return { what: "unknown" };
  if (field === undefined) return { what: "run", kind: what, id, field: null };
  const big = BIG_FIELDS.find((candidate) => candidate === field);
  // `serialized` and fields of later versions of the interface.
  return big === undefined ? { what: "passed_over" } : { what: "run", kind: what, id, field: big };
}

const encoded = (name: string) =>
  invalid([name], "a part must not have a Content-Encoding of its own; encode the whole body", "content_encoding");
