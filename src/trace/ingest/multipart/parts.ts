import { Buffer } from "node:buffer";
import { fail, ok, type Result } from "../../../domain/shared/result.ts";
import { type Invalid, invalid, type Location } from "../../run/change.ts";
import type { ByteSource } from "../body/byte-source.ts";
import { headerParameters } from "./header-parameters.ts";

/** One part of a multipart body (RFC 7578). */
export interface MultipartPart<Kind> {
  readonly name: string;
  /** What `classify` returned for the name. */
  readonly kind: Kind;
  /**
   * The bytes, valid until the next parts are requested. null: not kept, because the reader does not need them.
   * `too_large`: longer than the limit. `encoded`: it has a Content-Encoding of its own, which the interface does not
   * allow.
   */
  readonly content: Uint8Array | null | "too_large" | "encoded";
}

/** The kind of a part, and the limit of bytes to keep of it: 0 for none. */
export interface Wanted<Kind> {
  readonly kind: Kind;
  readonly maxBytes: number;
}

/** Longest head of one part, and longest preamble. Real heads have about 150 bytes. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Longest delimiter. RFC 2046 allows 70 characters; known clients use a few more. */
const MAX_BOUNDARY_LENGTH = 200;

/**
 * The parts of a body in order; each batch holds the parts that are complete. Parts that are long or not needed are
 * skipped as they stream. The end of a part is found by its Content-Length, or else by a search for the next delimiter.
 * A refusal is the last item: the body after it cannot be parsed.
 */
export async function* multipartParts<Kind>(
  source: ByteSource,
  boundary: string,
  classify: (name: string) => Wanted<Kind>,
): AsyncGenerator<Result<readonly MultipartPart<Kind>[], Invalid>> {
  if (boundary === "" || boundary.length > MAX_BOUNDARY_LENGTH)
    return yield broken(`the boundary must have 1 to ${MAX_BOUNDARY_LENGTH} characters`);
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const opened = await skipPreamble(source, delimiter.subarray(2));
  if (!opened.ok) return yield opened;
  for (;;) {
    const buffered = bufferedParts(source, delimiter, classify);
    if (buffered.length > 0) yield ok(buffered);
    const another = await afterDelimiter(source);
    if (!another.ok) return yield another;
    if (!another.value) return;
    const head = await takeHead(source);
    if (!head.ok) return yield head;
    const { name, length, encoded } = head.value;
    const { kind, maxBytes } = classify(name);
    const keptBytes = encoded ? 0 : maxBytes;
    const content =
      length === null
        ? await takeSearching(source, delimiter, keptBytes)
        : await takeCounted(source, delimiter, length, keptBytes, name);
    if (!content.ok) return yield content;
    yield ok([partOf({ name, length, encoded }, { kind, maxBytes }, content.value)]);
  }
}

/**
 * The parts that are complete in the buffer and have a Content-Length: nearly all, without a wait for each. The first
 * other part is left to the slow path.
 */
function bufferedParts<Kind>(
  source: ByteSource,
  delimiter: Buffer,
  classify: (name: string) => Wanted<Kind>,
): readonly MultipartPart<Kind>[] {
  const { buffered } = source;
  const bytes = bufferOf(buffered);
  const parts: MultipartPart<Kind>[] = [];
  let at = 0;
  while (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) {
    const headEnd = bytes.indexOf(HEAD_END, at);
    if (headEnd < 0 || headEnd - at > MAX_HEAD_BYTES) break;
    const head = headFrom(bytes.toString("utf8", at + 2, headEnd));
    if (!head.ok || head.value.length === null) break;
    const start = headEnd + HEAD_END.length;
    const end = start + head.value.length;
    const next = end + delimiter.length;
    if (next > bytes.length || bytes.compare(delimiter, 0, delimiter.length, end, next) !== 0) break;
    const wanted = classify(head.value.name);
    const isTooLarge = head.value.length > wanted.maxBytes;
    parts.push(partOf(head.value, wanted, isTooLarge ? "too_large" : buffered.subarray(start, end)));
    at = next;
  }
  source.consume(at);
  return parts;
}

function partOf<Kind>(
  head: Head,
  { kind, maxBytes }: Wanted<Kind>,
  content: Uint8Array | "too_large",
): MultipartPart<Kind> {
  return { name: head.name, kind, content: head.encoded ? "encoded" : maxBytes === 0 ? null : content };
}

/** The boundary in a Content-Type; null when it is not multipart/form-data with a boundary. */
export function boundaryOf(contentType: string): string | null {
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(contentType)) return null;
  return headerParameters(contentType).get("boundary") || null;
}

interface Head {
  readonly name: string;
  readonly length: number | null;
  readonly encoded: boolean;
}

async function skipPreamble(source: ByteSource, delimiter: Buffer): Promise<Result<null, Invalid>> {
  for (;;) {
    const at = find(source.buffered, delimiter);
    if (at >= 0) {
      source.consume(at + delimiter.length);
      return ok(null);
    }
    if (source.buffered.length > MAX_HEAD_BYTES) return broken("the boundary does not occur in it");
    const more = await source.more();
    if (!more.ok) return more;
    if (!more.value) return broken("the boundary does not occur in it");
  }
}

/** What follows a delimiter: true for a line end, after which a part begins; false for the end of the parts. */
async function afterDelimiter(source: ByteSource): Promise<Result<boolean, Invalid>> {
  for (;;) {
    const two = await source.atLeast(2);
    if (!two.ok) return two;
    if (!two.value) return endsEarly();
    const [first, second] = source.buffered;
    if (first === 0x2d && second === 0x2d) return ok(false);
    if (first === 0x0d && second === 0x0a) {
      source.consume(2);
      return ok(true);
    }
    if (first !== 0x20 && first !== 0x09) return broken("a boundary is not followed by a line end");
    source.consume(1);
  }
}

const HEAD_END = Buffer.from("\r\n\r\n", "latin1");

async function takeHead(source: ByteSource): Promise<Result<Head, Invalid>> {
  for (;;) {
    const at = find(source.buffered, HEAD_END);
    if (at > MAX_HEAD_BYTES || (at < 0 && source.buffered.length > MAX_HEAD_BYTES))
      return broken(`the head of a part has more than ${MAX_HEAD_BYTES} bytes`);
    if (at >= 0) {
      const head = headFrom(new TextDecoder().decode(source.buffered.subarray(0, at)));
      source.consume(at + HEAD_END.length);
      return head;
    }
    const more = await source.more();
    if (!more.ok) return more;
    if (!more.value) return endsEarly();
  }
}

function headFrom(text: string): Result<Head, Invalid> {
  let name = "";
  let digits: string | null = null;
  let encoded = false;
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    switch (line.slice(0, Math.max(colon, 0)).trim().toLowerCase()) {
      case "content-disposition":
        name = headerParameters(line).get("name") ?? "";
        break;
      case "content-type": {
        const length = headerParameters(line).get("length") ?? "";
        if (/^\d+$/.test(length)) digits = length; // a media type of the client may have such a parameter of its own
        break;
      }
      case "content-length":
        digits ??= line.slice(colon + 1).trim();
        break;
      case "content-encoding":
        encoded = true;
        break;
    }
  }
  if (name === "") return broken("a part has no name");
  if (digits !== null && !/^\d{1,15}$/.test(digits)) return broken(`the length of part ${name} is not a number`);
  return ok({ name, length: digits === null ? null : Number(digits), encoded });
}

async function takeCounted(
  source: ByteSource,
  delimiter: Buffer,
  length: number,
  maxBytes: number,
  name: string,
): Promise<Result<Uint8Array | "too_large", Invalid>> {
  let content: Uint8Array | "too_large" = "too_large";
  if (length <= maxBytes) {
    const there = await source.atLeast(length);
    if (!there.ok) return there;
    if (!there.value) return endsEarly();
    content = source.buffered.slice(0, length);
  }
  const passed = await source.skip(length);
  if (!passed.ok) return passed;
  const closed = passed.value ? await source.atLeast(delimiter.length) : passed;
  if (!closed.ok) return closed;
  if (!closed.value) return endsEarly();
  if (find(source.buffered.subarray(0, delimiter.length), delimiter) !== 0)
    return broken(`part ${name} does not have the length it gives`);
  source.consume(delimiter.length);
  return ok(content);
}

async function takeSearching(
  source: ByteSource,
  delimiter: Buffer,
  maxBytes: number,
): Promise<Result<Uint8Array | "too_large", Invalid>> {
  let searched = 0;
  let dropped = false;
  for (;;) {
    const { buffered } = source;
    const found = find(buffered.subarray(searched), delimiter);
    if (found >= 0) {
      const end = searched + found;
      const content = dropped || end > maxBytes ? "too_large" : buffered.slice(0, end);
      source.consume(end + delimiter.length);
      return ok(content);
    }
    // The delimiter may begin in the last bytes that have arrived.
    searched = Math.max(0, buffered.length - delimiter.length + 1);
    if (dropped || searched > maxBytes) {
      dropped = true;
      source.consume(searched);
      searched = 0;
    }
    const more = await source.more();
    if (!more.ok) return more;
    if (!more.value) return endsEarly();
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const find = (bytes: Uint8Array, needle: Buffer): number => bufferOf(bytes).indexOf(needle);

const BODY: Location = ["body"];
const endsEarly = () => invalid(BODY, "the multipart body ends before its last boundary", "body_ended");
const broken = (why: string) => fail(invalid(BODY, `not a multipart body: ${why}`, "multipart_invalid").failure);
