import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfText,
  endOfWord,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "../../json/bytes.ts";
import type { Scalar } from "../filter.ts";
import { Places } from "./json-places.ts";

/**
 * Visits the entries of JSON in one pass, without parsing it into objects: memory is that of one value. The bytes are
 * JSON that ingest has checked; on other bytes the scan stops somewhere without an error.
 */

/** A value that is not an object or list. It is decoded only when read. */
export interface JsonEntry {
  /** null: the value has no key, or one that is longer than any that a filter may name. */
  readonly key: string | null;
  readonly value: () => Scalar;
}

/** A byte order mark inside a text is part of it. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/**
 * Visits the entries of the JSON, or only those inside the members called `member` of the object, until `visit` answers
 * false.
 */
export function eachEntry(bytes: Uint8Array, member: string | null, visit: (entry: JsonEntry) => boolean): void {
  const places = new Places(member);
  let at = 0;
  while (at < bytes.length) {
    const start = at;
    const byte = bytes[at];
    at += 1;
    switch (byte) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        places.enter(byte === OPEN_OBJECT);
        continue;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        places.leave();
        continue;
      case COMMA:
        places.next();
        continue;
      case COLON:
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        continue;
      case QUOTE:
        at = endOfText(bytes, start);
        break;
      default:
        at = endOfWord(bytes, start);
    }
    const end = at;
    if (places.isAtName) places.name(() => textOf(bytes, start, end));
    else if (places.isSeen && !visit({ key: places.key, value: () => scalarOf(bytes, start, end) })) return;
  }
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
