import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "../../json/bytes.ts";
import {
  checkPost,
  type Invalid,
  invalid,
  type Location,
  MAX_CHANGE_BYTES,
  type RunChange,
  tooLarge,
} from "../run/change.ts";
import { ByteSource, MAX_BODY_BYTES } from "./body/byte-source.ts";
import { type RunOrigin, runChange } from "./parse-run.ts";

/**
 * Reads `{"post": [run, ...], "patch": [run, ...]}` while it streams in, with one run in memory at a time.
 *
 * A refused run yields its refusal at its position, and reading continues. If the body itself is broken, a last refusal
 * ends the reading: emitted runs stay accepted, which is safe because the body can be repeated.
 */
export async function* readBatch(
  body: ReadableStream<Uint8Array>,
  maxBytes: number = MAX_BODY_BYTES,
): AsyncGenerator<Result<RunChange, Invalid>> {
  const source = new ByteSource(body, maxBytes);
  try {
    yield* batchMembers(source);
  } finally {
    await source.close();
  }
}

/** Longer names of members of the batch are not compared. */
const MAX_KEY_BYTES = 256;

async function* batchMembers(source: ByteSource): AsyncGenerator<Result<RunChange, Invalid>> {
  const opening = await expect(source, OPEN_OBJECT);
  if (!opening.ok) return yield opening;
  for (let first = true; ; first = false) {
    const next = await peek(source);
    if (!next.ok) return yield next;
    if (first && next.value === CLOSE_OBJECT) break;
    if (next.value !== QUOTE) return yield notJson();
    const key = await takeValue(source, MAX_KEY_BYTES);
    if (!key.ok) return yield key;
    const colon = await expect(source, COLON);
    if (!colon.ok) return yield colon;
    const kind = kindOf(key.value);
    if (kind === null) {
      const skipped = await takeValue(source, 0);
      if (!skipped.ok) return yield skipped;
    } else {
      for await (const change of listOfRuns(source, kind)) {
        yield change;
        if (!change.ok && change.failure.loc[0] === "body") return;
      }
    }
    const after = await peek(source);
    if (!after.ok) return yield after;
    if (after.value === CLOSE_OBJECT) break;
    const comma = await expect(source, COMMA);
    if (!comma.ok) return yield comma;
  }
  source.consume(1);
  const rest = await peek(source);
  if (rest.ok) yield notJson();
  else if (rest.failure.type !== ENDED) yield rest;
}

async function* listOfRuns(source: ByteSource, kind: "post" | "patch"): AsyncGenerator<Result<RunChange, Invalid>> {
  const opening = await peek(source);
  if (!opening.ok) return yield opening;
  if (opening.value !== OPEN_ARRAY) {
    const skipped = await takeValue(source, 4);
    if (!skipped.ok) return yield skipped;
    if (skipped.value === null || new TextDecoder().decode(skipped.value) !== "null")
      yield invalid([kind], "must be a list of runs", "list_type");
    return;
  }
  source.consume(1);
  for (let index = 0; ; index += 1) {
    const next = await peek(source);
    if (!next.ok) return yield next;
    if (index === 0 && next.value === CLOSE_ARRAY) break;
    const json = await takeValue(source, MAX_CHANGE_BYTES);
    if (!json.ok) return yield json;
    yield runFrom(json.value, { kind, id: null, loc: [kind, index] });
    const after = await peek(source);
    if (!after.ok) return yield after;
    if (after.value === CLOSE_ARRAY) break;
    const comma = await expect(source, COMMA);
    if (!comma.ok) return yield comma;
  }
  source.consume(1);
}

function runFrom(json: Uint8Array | null, origin: RunOrigin): Result<RunChange, Invalid> {
  if (json === null) return tooLarge(origin.loc);
  const change = runChange(json, origin);
  return change.ok ? checkPost(change.value, origin.loc) : change;
}

function kindOf(key: Uint8Array | null): "post" | "patch" | null {
  const text = key === null ? "" : new TextDecoder().decode(key);
  if (text === '"post"') return "post";
  return text === '"patch"' ? "patch" : null;
}

/** The next byte that is not white space. It is not consumed. */
async function peek(source: ByteSource): Promise<Result<number, Invalid>> {
  for (;;) {
    const { buffered } = source;
    let at = 0;
    while (isSpace(buffered[at])) at += 1;
    const byte = buffered[at];
    source.consume(at);
    if (byte !== undefined) return ok(byte);
    const more = await source.more();
    if (!more.ok) return more;
    if (!more.value) return ended();
  }
}

async function expect(source: ByteSource, byte: number): Promise<Result<null, Invalid>> {
  const next = await peek(source);
  if (!next.ok) return next;
  if (next.value !== byte) return notJson();
  source.consume(1);
  return ok(null);
}

/**
 * Takes the bytes of the next value; null when they exceed `maxBytes`: then they are skipped as they arrive. Only the
 * end of the value is found here, in one pass over each byte; the reader of the value checks whether it is JSON.
 */
async function takeValue(source: ByteSource, maxBytes: number): Promise<Result<Uint8Array | null, Invalid>> {
  const first = await peek(source);
  if (!first.ok) return first;
  const extent = extentOf(first.value);
  let looked = 0;
  let dropping = false;
  for (;;) {
    const { buffered } = source;
    const end = extent(buffered, looked);
    if (end !== null) {
      const taken = dropping || end > maxBytes ? null : buffered.slice(0, end);
      source.consume(end);
      return end === 0 && !dropping ? notJson() : ok(taken);
    }
    looked = buffered.length;
    dropping ||= looked > maxBytes;
    if (dropping) {
      source.consume(looked);
      looked = 0;
    }
    const more = await source.more();
    if (!more.ok) return more;
    if (!more.value) return ended();
  }
}

/** A function that finds the end of the value when it is called with more and more of its bytes; null until then. */
function extentOf(first: number): (bytes: Uint8Array, from: number) => number | null {
  const isContainer = first === OPEN_OBJECT || first === OPEN_ARRAY;
  if (!isContainer && first !== QUOTE) return endOfScalar;
  let depth = 0;
  let inString = false;
  let escaped = false;
  return (bytes, from) => {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === 0x5c) escaped = true;
        else if (byte === QUOTE) inString = false;
        if (!inString && depth === 0) return at + 1;
      } else if (byte === QUOTE) {
        inString = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        depth += 1;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
    return null;
  };
}

function endOfScalar(bytes: Uint8Array, from: number): number | null {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte)) return at;
  }
  return null;
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const BODY: Location = ["body"];
const ENDED = "body_ended";
const ended = () => invalid(BODY, "the body ends in the middle of the batch", ENDED);
const notJson = () => fail(invalid(BODY, 'must be JSON: {"post": [...], "patch": [...]}', "json_invalid").failure);
