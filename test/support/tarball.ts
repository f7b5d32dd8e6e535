import { gzipSync } from "node:zlib";

/** An entry of an archive, valid or not. */
export interface Entry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** Type flag of the header; "0" is a plain file. */
  readonly kind?: string;
  readonly link?: string;
}

const BLOCK = 512;

/** A ustar archive (POSIX.1-1988) of the entries in their order. */
export function tarOf(entries: readonly Entry[]): Uint8Array {
  const blocks = entries.flatMap(({ path, content = "", kind = "0", link = "" }) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const padded = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
    padded.set(bytes);
    return [header(path, bytes.length, kind, link), padded];
  });
  return Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)]);
}

export const tarballOf = (entries: readonly Entry[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(gzipSync(tarOf(entries)));

function header(path: string, size: number, kind: string, link: string): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  block.write(path.slice(0, 100), 0);
  block.write("0000644\0", 100);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("00000000000\0", 136);
  block.write("        ", 148);
  block.write(kind, 156);
  block.write(link, 157);
  block.write("ustar\u000000", 257);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
