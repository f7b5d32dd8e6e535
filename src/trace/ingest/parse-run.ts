import { isUtf8 } from "node:buffer";
import { SENT_COLUMNS } from "../../domain/run/columns.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { scanObject, scanValue } from "../../json/scan.ts";
import {
  type BigField,
  type Invalid,
  invalid,
  type Location,
  MAX_CHANGE_BYTES,
  NO_FIELDS,
  type RunChange,
  type RunFields,
  tooLarge,
} from "../run/change.ts";
import { checkProjectName, DEFAULT_PROJECT } from "./project-name.ts";
import { type ReadValue, readerOf, readString, readUuid } from "./read-value.ts";

/** Reads the JSON of runs. */

/** Where the JSON of a run came from. */
export interface RunOrigin {
  readonly kind: "post" | "patch";
  /**
   * From the path or the name of the part; null: the JSON must contain it. An IdMaker is called if the JSON does not.
   */
  readonly id: string | null | IdMaker;
  /** Location in the request. */
  readonly loc: Location;
}

/** Makes the id of a run that has none: the same JSON always gives the same id. */
export type IdMaker = (json: Uint8Array, fields: RunFields) => string;

/**
 * Reads the JSON of one run. Members that are not fields of a run are ignored, including `status`, which is derived.
 */
export function runChange(bytes: Uint8Array, origin: RunOrigin): Result<RunChange, Invalid> {
  const { loc } = origin;
  if (bytes.length > MAX_CHANGE_BYTES) return tooLarge(loc);
  if (!isUtf8(bytes)) return invalid(loc, "not valid UTF-8", "json_invalid");
  const scanned = scanObject(bytes);
  if (!scanned.ok) return invalid(loc, `a run must be a JSON object: ${scanned.failure.message}`, "json_invalid");

  const known = typeof origin.id === "string" ? origin.id : null;
  const draft: Draft = { fields: { ...NO_FIELDS }, id: known, projectId: null, projectName: null };
  for (const { key, start, end } of scanned.value) {
    const fault = readMember(draft, bytes.subarray(start, end), key, [...loc, key]);
    if (fault !== null) return fail(fault);
  }
  const { projectId, projectName } = draft;
  const fields = draft.fields as unknown as RunFields;
  const id = draft.id ?? (typeof origin.id === "function" ? origin.id(bytes, fields) : null);
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

/** Reads one big field that was sent apart from its run: the whole of `bytes` is its JSON. */
export function bigField(field: BigField, bytes: Uint8Array, loc: Location): Result<Uint8Array | null, Invalid> {
  if (!isUtf8(bytes)) return invalid(loc, "not valid UTF-8", "json_invalid");
  const scanned = scanValue(bytes);
  if (!scanned.ok) return invalid(loc, scanned.failure.message, "json_invalid");
  // The reader of a big field returns bytes.
  const read = readerOf(field) as ReadValue<Uint8Array>;
  return read(bytes.subarray(scanned.value.start, scanned.value.end), loc);
}

/** The members of a run that were read so far. */
interface Draft {
  /** By the names of RunFields, each of the type that its reader returns. */
  readonly fields: Record<string, unknown>;
  id: string | null;
  projectId: string | null;
  projectName: string | null;
}

/** Reads one member into the draft; answers its failure, or null. */
function readMember(draft: Draft, json: Uint8Array, key: string, loc: Location): Invalid | null {
  switch (key) {
    case "id":
      return take(readUuid(json, loc), (id) => {
        draft.id = id ?? draft.id;
      });
    case "session_id":
      return take(readUuid(json, loc), (id) => {
        draft.projectId = id;
      });
    case "session_name":
      return take(readProjectName(json, loc), (name) => {
        draft.projectName = name;
      });
    default: {
      const read = FIELD_READERS.get(key);
      if (read === undefined) return null;
      return take(read(json, loc), (value) => {
        draft.fields[key] = value;
      });
    }
  }
}

const FIELD_READERS: ReadonlyMap<string, ReadValue<unknown>> = new Map(
  SENT_COLUMNS.map((column) => [column, readerOf(column)]),
);

function take<T>(read: Result<T, Invalid>, set: (value: T) => void): Invalid | null {
  if (!read.ok) return read.failure;
  set(read.value);
  return null;
}

const readProjectName: ReadValue<string> = (json, loc) => {
  const name = readString(json, loc);
  return !name.ok || name.value === null ? name : checkProjectName(name.value, loc);
};

function projectOf(kind: "post" | "patch", id: string | null, name: string | null): RunChange["project"] {
  if (id !== null) return { id };
  if (name !== null && name !== "") return { name };
  return kind === "post" ? { name: DEFAULT_PROJECT } : null;
}
