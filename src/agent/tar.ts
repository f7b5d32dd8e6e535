import { fail, ok, type Result } from "../domain/shared/result.ts";

/** A plain file of an archive. */
export interface TarFile {
  readonly path: string;
  /** A part of the archive, not copied. */
  readonly bytes: Uint8Array;
}

export interface TarLimits {
  readonly files: number;
  readonly pathCharacters: number;
}

const BLOCK = 512;

/** Longest pax header or long name. Both hold a path and little else. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Reads an untrusted tar archive: POSIX ustar, with the long names of pax and GNU. Answers its plain files, whose paths
 * stay below the archive's root. Anything else fails with a sentence that names it.
 */
export function readTar(archive: Uint8Array, limits: TarLimits): Result<readonly TarFile[], string> {
  const files = new Map<string, TarFile>();
  let longName: string | null = null;
  let at = 0;
  while (at + BLOCK <= archive.length) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return ok([...files.values()]);
    if (!hasTrueChecksum(header))
      return fail("The archive is damaged, or is not a tar archive: a header's checksum is wrong.");
    const size = numberIn(header, 124, 12);
    if (size === null || at + BLOCK + size > archive.length) return fail("The archive is cut short.");
    const bytes = archive.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const kind = String.fromCharCode(header[156] ?? 0);
    const path: string = longName ?? nameIn(header);
    switch (kind) {
      case "x":
      case "L": {
        if (size > MAX_HEADER_BYTES) return fail("A name in the archive is too long.");
        longName = kind === "L" ? textOf(bytes) : (paxPath(textOf(bytes)) ?? longName);
        continue;
      }
      case "g":
        continue;
      case "5":
        break;
      case "0":
      case "\0": {
        const problem = pathProblem(path, limits);
        if (problem !== null) return fail(problem);
        const name = cleanPath(path);
        if (files.has(name)) return fail(`The archive holds ${shown(name)} twice.`);
        if (files.size === limits.files) return fail(`The archive holds more than ${limits.files} files.`);
        files.set(name, { path: name, bytes });
        break;
      }
      default:
        return fail(`${shown(path)} is not a plain file; links and devices are refused.`);
    }
    longName = null;
  }
  return fail("The archive is cut short."); // it must end with blocks of zeros
}

function pathProblem(path: string, { pathCharacters }: TarLimits): string | null {
  if (path.length > pathCharacters) return `A path in the archive is longer than ${pathCharacters} characters.`;
  const steps = cleanPath(path).split("/");
  const leaves = path.startsWith("/") || path.includes("\\") || steps.some((step) => step === ".." || step === ".");
  if (leaves) return `${shown(path)} does not stay below the archive's root.`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (steps.includes("") || /[\u0000-\u001f\u007f]/.test(path)) return `${shown(path)} is not the path of a file.`;
  return null;
}

/** `tar -C folder .` writes every path with the prefix `./`. */
const cleanPath = (path: string): string => path.replace(/^(?:\.\/)+/, "");

/** A path as messages quote it: short, with control characters escaped. */
const shown = (path: string): string => JSON.stringify(path.slice(0, 100));

/** The checksum is the sum of all bytes of the header, with its own eight bytes counted as spaces. */
function hasTrueChecksum(header: Uint8Array): boolean {
  let sum = 0;
  for (let i = 0; i < BLOCK; i += 1) sum += i >= 148 && i < 156 ? 0x20 : (header[i] ?? 0);
  return sum === numberIn(header, 148, 8);
}

/** Octal digits that end at a space, a zero byte or the end of the field; null: anything else, GNU's binary form included. */
function numberIn(header: Uint8Array, start: number, length: number): number | null {
  const digits = textOf(header.subarray(start, start + length)).trim();
  return /^[0-7]{1,12}$/.test(digits) ? Number.parseInt(digits, 8) : null;
}

function nameIn(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100));
  const isUstar = textOf(header.subarray(257, 263)).startsWith("ustar");
  const prefix = isUstar && header[262] === 0 ? textOf(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** The path in records `<length> <key>=<value>\n`; null: there is none. */
function paxPath(records: string): string | null {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1] ?? null;
}

const textOf = (bytes: Uint8Array): string => {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
};
