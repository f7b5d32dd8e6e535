import type { Scalar } from "./filter.ts";
import { MAX_JSON_LEVELS, MAX_KEY_LENGTH } from "./limits.ts";

/**
 * Walks over the entries of JSON in one pass, without building it: memory stays that of one value. The bytes are JSON
 * as ingest accepts it (checked there); on anything else the walk ends somewhere, without an error of its own.
 */

/** A value that is no object or list. Read only when asked for. */
export interface JsonEntry {
  /** Null: the value has no name around it, or one longer than any that a filter may name. */
  readonly key: string | null;
  readonly value: () => Scalar;
}

/** An object or list that is open. */
interface Container {
  readonly isObject: boolean;
  /** Of the container itself; see `place`. */
  readonly place: string;
}

/** Places of values: "" at the top, then each name behind a dot; two more words for what has no such place. */
const TOP = "";
const OUTSIDE = "outside";
const TOO_LONG = "too long";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** A byte order mark inside a text is part of it. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/**
 * Visits the entries of the JSON, or of those members of the object it is that are called `member`, until `visit`
 * answers false.
 */
export function eachEntry(bytes: Uint8Array, member: string | null, visit: (entry: JsonEntry) => boolean): void {
  const base = member === null ? 0 : 1;
  const containers: Container[] = [];
  let container: Container | undefined;
  let place = member === null ? TOP : OUTSIDE;
  let isName = false;

  const placeOf = (name: () => string): string => {
    if (member !== null && containers.length === 1) return name() === member ? TOP : OUTSIDE;
    const outer = container?.place ?? OUTSIDE;
    if (outer === OUTSIDE || outer === TOO_LONG) return outer;
    if (containers.length - base > MAX_JSON_LEVELS) return OUTSIDE;
    const inner = `${outer}.${name()}`;
    return inner.length > MAX_KEY_LENGTH + 1 ? TOO_LONG : inner;
  };
  const visitScalar = (start: number, end: number): boolean => {
    if (place === OUTSIDE || containers.length - base > MAX_JSON_LEVELS) return true;
    const key = place.startsWith(".") ? place.slice(1) : null;
    return visit({ key, value: () => scalarOf(bytes, start, end) });
  };

  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    switch (byte) {
      case OPEN_OBJECT:
      case OPEN_LIST:
        isName = byte === OPEN_OBJECT;
        container = { isObject: isName, place };
        containers.push(container);
        at += 1;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        containers.pop();
        container = containers.at(-1);
        isName = false;
        at += 1;
        break;
      case COMMA:
        isName = container?.isObject ?? false;
        // Names set the place of what follows them; in a list it is that of the list.
        if (!isName) place = container?.place ?? OUTSIDE;
        at += 1;
        break;
      case QUOTE: {
        const [start, end] = [at, endOfText(bytes, at)];
        if (isName) place = placeOf(() => textOf(bytes, start, end));
        else if (!visitScalar(start, end)) return;
        isName = false;
        at = end;
        break;
      }
      case COLON:
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        at += 1;
        break;
      default: {
        const end = endOfWord(bytes, at);
        if (!visitScalar(at, end)) return;
        at = end;
      }
    }
  }
}

/** Position behind the text that begins at `start`. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, bytes.length);
}

/** Position behind a number or one of the words true, false and null. */
function endOfWord(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (let byte = bytes[at]; byte !== undefined && byte > 0x20; byte = bytes[at]) {
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST) break;
    at += 1;
  }
  return at;
}

function scalarOf(bytes: Uint8Array, start: number, end: number): Scalar {
  switch (bytes[start]) {
    case QUOTE:
      return textOf(bytes, start, end);
    case 0x74:
      return true;
    case 0x66:
      return false;
    case 0x6e:
      return null;
    default: {
      const value = Number(decoder.decode(bytes.subarray(start, end)));
      return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
    }
  }
}

/** The text between the quotes at `start` and before `end`. */
function textOf(bytes: Uint8Array, start: number, end: number): string {
  const inner = bytes.subarray(start + 1, end - 1);
  if (!inner.includes(BACKSLASH)) return decoder.decode(inner);
  const parsed: unknown = JSON.parse(decoder.decode(bytes.subarray(start, end)));
  return String(parsed).toWellFormed();
}
