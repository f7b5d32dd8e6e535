/**
 * Reads the few elements that are needed from XML replies of S3 stores. Input is untrusted: its length was limited
 * before, document types and entity declarations are refused, only the five predefined and the numeric entities are
 * expanded, and every value is checked before use.
 */

export interface Reply {
  /** Name of the outermost element, for example `Error`. */
  readonly root: string;
  /** Text of the first element with that name and without child elements; null: there is none. */
  readonly text: (element: string) => string | null;
  /** The same for each element with that name, in order. */
  readonly each: (element: string) => readonly ((element: string) => string | null)[];
}

/** Null: not a reply of an S3 store. */
export function readReply(bytes: Uint8Array): Reply | null {
  // Stores send white space while a long Complete is running, then the document.
  const xml = new TextDecoder().decode(bytes).trimStart();
  if (xml.includes("<!")) return null;
  const root = /^(?:<\?xml[^>]{0,200}>\s*)?<([A-Za-z]{1,64})[\s>/]/.exec(xml)?.[1];
  if (root === undefined) return null;
  return {
    root,
    text: (element) => textOf(xml, element),
    each: (element) => insidesOf(xml, element).map((inside) => (inner) => textOf(inside, inner)),
  };
}

/**
 * The store's error code, always `[A-Za-z0-9.]{1,64}`; null: the bytes are not an S3 error, or the code has another
 * form.
 */
export function codeOf(bytes: Uint8Array): string | null {
  const reply = readReply(bytes);
  if (reply === null || !isError(reply)) return null;
  const code = reply.text("Code");
  return code !== null && /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : null;
}

/** Such names are safe in a host name and in a signature. */
const REGION = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The region that an error names: in a header (AWS), in `<Region>` (AWS, MinIO, Swift), or in its message. Null: it names
 * none.
 */
export function regionOf(headers: Headers, bytes: Uint8Array): string | null {
  const reply = readReply(bytes);
  const named = [
    headers.get("x-amz-bucket-region"),
    reply?.text("Region") ?? null,
    /expecting '([^']*)'/.exec(reply?.text("Message") ?? "")?.[1] ?? null,
  ];
  return named.find((region) => region !== null && REGION.test(region)) ?? null;
}

/** Whether the reply is an error, independent of its HTTP status. */
export const isError = (reply: Reply): boolean => reply.root === "Error" || reply.root === "ErrorResponse";

/** An ETag without its quotes and without the weak mark that proxies add; null: the text is not an ETag. */
export function etagOf(text: string | null): string | null {
  if (text === null) return null;
  const etag = text
    .trim()
    .replace(/^W\//, "")
    .replace(/^"(.*)"$/, "$1");
  return /^[\x21\x23-\x7e]{1,1024}$/.test(etag) ? etag : null;
}

/** An upload id, which is opaque visible ASCII; real ones have 30 to 400 characters. */
export const uploadIdOf = (text: string | null): string | null =>
  text !== null && /^[\x21-\x7e]{1,2048}$/.test(text) ? text : null;

/** Body of CompleteMultipartUpload. */
export function completionOf(parts: readonly { readonly partNumber: number; readonly etag: string }[]): Uint8Array {
  const listed = parts.map(
    (part) => `<Part><PartNumber>${part.partNumber}</PartNumber><ETag>"${escaped(part.etag)}"</ETag></Part>`,
  );
  return new TextEncoder().encode(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join("")}</CompleteMultipartUpload>`,
  );
}

const insidesOf = (xml: string, element: string): readonly string[] => {
  const [opening, closing] = [`<${element}>`, `</${element}>`];
  const insides: string[] = [];
  let start = xml.indexOf(opening);
  while (start >= 0) {
    const end = xml.indexOf(closing, start);
    if (end < 0) break;
    insides.push(xml.slice(start + opening.length, end));
    start = xml.indexOf(opening, end);
  }
  return insides;
};

const textOf = (xml: string, element: string): string | null => {
  const opening = `<${element}>`;
  const start = xml.indexOf(opening);
  if (start < 0) return null;
  const end = xml.indexOf("<", start + opening.length);
  if (end < 0 || !xml.startsWith(`</${element}>`, end)) return null;
  return unescaped(xml.slice(start + opening.length, end));
};

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(?:([a-z]{2,4})|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));/g, (whole, name, decimal, hex) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const point = decimal !== undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
