import { isUtf8 } from "node:buffer";
import { MAX_PROJECT_NAME_CHARACTERS } from "../../domain/project/records.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { canonicalUuid } from "../../domain/shared/run-id.ts";
import { isCleanText } from "../../domain/shared/text.ts";
import { microsFromEpochMs, microsFromIso } from "../../domain/shared/time-text.ts";
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "../../json/bytes.ts";
import { type JsonMember, scanObject, scanValue } from "../../json/scan.ts";
import {
  type BigField,
  type Invalid,
  invalid,
  type Location,
  MAX_RUN_BYTES,
  NO_FIELDS,
  type RunChange,
  type RunFields,
  tooLarge,
} from "../run/change.ts";

/** Reads the JSON of runs. Small fields are parsed and checked, big ones are checked and kept as they came. */

/** Project of a post that names none, as the clients' own default. */
export const DEFAULT_PROJECT = "default";

const RUN_TYPES = new Set(["tool", "chain", "llm", "retriever", "embedding", "prompt", "parser"]);
const TRACE_TIERS = new Set(["longlived", "shortlived"]);

const LOWER_N = 0x6e;

/**
 * Longest JSON of a member that is no big field. Text may double its size between actors, whose messages have 32 MiB;
 * real ones hold some hundred bytes [LIM-26].
 */
export const MAX_SMALL_FIELD_BYTES = 1024 * 1024;

/** Where a run's JSON came from: what kind of change it is, the id known beforehand, and its place in the request. */
export interface RunOrigin {
  readonly kind: "post" | "patch";
  /** From the path or the name of the part; null: the JSON must hold it; a maker is asked where it does not. */
  readonly id: string | null | IdMaker;
  readonly loc: Location;
}

/** Makes the id of a run that has none: the same one whenever the same JSON comes. */
export type IdMaker = (json: Uint8Array, fields: RunFields) => string;

/** Reads the JSON of one run. Members that are not fields of a run are ignored, `status` among them: it is derived. */
export function runChange(bytes: Uint8Array, origin: RunOrigin): Result<RunChange, Invalid> {
  const { loc } = origin;
  if (bytes.length > MAX_RUN_BYTES) return tooLarge(loc);
  if (!isUtf8(bytes)) return invalid(loc, "not valid UTF-8", "json_invalid");
  const scanned = scanObject(bytes);
  if (!scanned.ok) return invalid(loc, `a run must be a JSON object: ${scanned.failure.message}`, "json_invalid");

  const known = typeof origin.id === "string" ? origin.id : null;
  const draft: Draft = { ...NO_FIELDS, id: known, projectId: null, projectName: null };
  for (const member of scanned.value) {
    const fault = readMember(draft, bytes, member, loc);
    if (fault !== null) return fail(fault);
  }
  const { projectId, projectName, id: said, ...fields } = draft;
  const id = said ?? (typeof origin.id === "function" ? origin.id(bytes, fields) : null);
  if (id === null) return invalid([...loc, "id"], "a run needs an id", "missing");
  if (known !== null && id !== known)
    return invalid([...loc, "id"], "differs from the id this run is sent under", "value_error");

  return ok({
    ...fields,
    id,
    kind: origin.kind,
    project: projectOf(origin.kind, projectId, projectName),
    feedback: null,
  });
}

/** Reads one big field that came apart from its run: the whole of `bytes` is its JSON. */
export function bigField(field: BigField, bytes: Uint8Array, loc: Location): Result<Uint8Array | null, Invalid> {
  if (!isUtf8(bytes)) return invalid(loc, "not valid UTF-8", "json_invalid");
  const scanned = scanValue(bytes);
  if (!scanned.ok) return invalid(loc, scanned.failure.message, "json_invalid");
  return bigValue(field, bytes.subarray(scanned.value.start, scanned.value.end), loc);
}

interface Draft extends Writable<RunFields> {
  id: string | null;
  projectId: string | null;
  projectName: string | null;
}
type Writable<T> = { -readonly [name in keyof T]: T[name] };

/** Takes one member into the draft; answers what is wrong with it, or null. */
function readMember(draft: Draft, bytes: Uint8Array, member: JsonMember, loc: Location): Invalid | null {
  const { key } = member;
  const at = [...loc, key];
  const value = bytes.subarray(member.start, member.end);
  switch (key) {
    case "id":
      return take(uuidFrom(value, at), (id) => {
        draft.id = id ?? draft.id;
      });
    case "session_id":
      return take(uuidFrom(value, at), (id) => {
        draft.projectId = id;
      });
    case "session_name":
      return take(projectNameFrom(value, at), (name) => {
        draft.projectName = name;
      });
    case "trace_id":
    case "parent_run_id":
    case "reference_example_id":
      return take(uuidFrom(value, at), (id) => {
        draft[key] = id;
      });
    case "dotted_order":
    case "name":
      return take(stringFrom(value, at), (text) => {
        draft[key] = text;
      });
    case "run_type":
      return take(wordFrom(value, RUN_TYPES, at), (word) => {
        draft.run_type = word;
      });
    case "trace_tier":
      return take(wordFrom(value, TRACE_TIERS, at), (word) => {
        draft.trace_tier = word;
      });
    case "start_time":
    case "end_time":
      return take(timeFrom(value, at), (time) => {
        draft[key] = time;
      });
    case "tags":
      return take(tagsFrom(value, at), (tags) => {
        draft.tags = tags;
      });
    case "inputs":
    case "outputs":
    case "error":
    case "extra":
    case "events":
      return take(bigValue(key, value, at), (json) => {
        draft[key] = json;
      });
    default:
      return null;
  }
}

function take<T>(read: Result<T, Invalid>, set: (value: T) => void): Invalid | null {
  if (!read.ok) return read.failure;
  set(read.value);
  return null;
}

function projectOf(kind: "post" | "patch", id: string | null, name: string | null): RunChange["project"] {
  if (id !== null) return { id };
  if (name !== null && name !== "") return { name };
  return kind === "post" ? { name: DEFAULT_PROJECT } : null;
}

function bigValue(field: BigField, bytes: Uint8Array, loc: Location): Result<Uint8Array | null, Invalid> {
  const first = bytes[0];
  if (first === LOWER_N) return ok(null);
  switch (field) {
    case "inputs":
    case "outputs":
    case "extra":
      return first === OPEN_OBJECT ? ok(copyOf(bytes)) : invalid(loc, "must be a JSON object", "dict_type");
    case "events":
      return first === OPEN_ARRAY ? ok(copyOf(bytes)) : invalid(loc, "must be a JSON list", "list_type");
    case "error":
      return first === QUOTE ? ok(utf8Bytes(parse(bytes))) : invalid(loc, "must be a string", "string_type");
  }
}

/** Bytes of their own. `slice` would not do: on a Buffer, which is a Uint8Array too, it gives a view. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

function stringFrom(json: Uint8Array, loc: Location): Result<string | null, Invalid> {
  if (json.length > MAX_SMALL_FIELD_BYTES) return tooLong(loc);
  const value = parseIf(json, QUOTE);
  if (value === null || typeof value === "string") return ok(value);
  return invalid(loc, "must be a string", "string_type");
}

function projectNameFrom(json: Uint8Array, loc: Location): Result<string | null, Invalid> {
  const name = stringFrom(json, loc);
  return !name.ok || name.value === null ? name : checkProjectName(name.value, loc);
}

/** The name, if a project may have it. */
export function checkProjectName(name: string, loc: Location): Result<string, Invalid> {
  if (name.length > MAX_PROJECT_NAME_CHARACTERS)
    return invalid(loc, `must have at most ${MAX_PROJECT_NAME_CHARACTERS} characters`, "string_too_long");
  if (!isCleanText(name)) return invalid(loc, "must not hold control characters or broken Unicode", "value_error");
  return ok(name);
}

function uuidFrom(json: Uint8Array, loc: Location): Result<string | null, Invalid> {
  const text = stringFrom(json, loc);
  if (!text.ok || text.value === null) return text;
  const uuid = canonicalUuid(text.value);
  return uuid === null ? invalid(loc, "must be a UUID", "uuid_parsing") : ok(uuid);
}

function wordFrom(json: Uint8Array, allowed: ReadonlySet<string>, loc: Location): Result<string | null, Invalid> {
  const text = stringFrom(json, loc);
  if (!text.ok || text.value === null || allowed.has(text.value)) return text;
  return invalid(loc, `must be one of ${[...allowed].join(", ")}`, "enum");
}

/** A time as ISO 8601 text or as epoch milliseconds; clients mix both within one run. */
function timeFrom(json: Uint8Array, loc: Location): Result<number | null, Invalid> {
  const value = parseIf(json, isNumber(json[0]) ? json[0] : QUOTE);
  if (value === null) return ok(null);
  const micros =
    typeof value === "number" ? microsFromEpochMs(value) : typeof value === "string" ? microsFromIso(value) : null;
  if (micros !== null) return ok(micros);
  return invalid(loc, "must be an ISO 8601 time or epoch milliseconds, 1970 to 2254", "datetime_parsing");
}

function tagsFrom(json: Uint8Array, loc: Location): Result<readonly string[] | null, Invalid> {
  if (json.length > MAX_SMALL_FIELD_BYTES) return tooLong(loc);
  const value = parseIf(json, OPEN_ARRAY);
  if (value === null) return ok(null);
  if (Array.isArray(value) && value.every((tag) => typeof tag === "string")) return ok(value);
  return invalid(loc, "must be a list of strings", "list_type");
}

const tooLong = (loc: Location) => invalid(loc, `must have at most ${MAX_SMALL_FIELD_BYTES} bytes`, "string_too_long");

/** The value that begins with the byte expected, null for null, undefined for a value of another type. */
function parseIf(json: Uint8Array, firstByte: number): unknown {
  if (json[0] === LOWER_N) return null;
  return json[0] === firstByte ? parse(json) : undefined;
}

const isNumber = (first: number | undefined): first is number =>
  first === 0x2d || (first !== undefined && first >= 0x30 && first <= 0x39);

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const parse = (bytes: Uint8Array): unknown => JSON.parse(decoder.decode(bytes));
const utf8Bytes = (text: unknown): Uint8Array => encoder.encode(String(text));
