import { createHash } from "node:crypto";

/**
 * SHA-256 of a file that is made part by part, at any time but hashed in order. Lives in memory only: after a restart
 * it begins at the first part again, from bytes made anew.
 */
export class FileDigest {
  readonly #hash = createHash("sha256");
  #parts = 0;
  #hex: string | null = null;

  /** Parts in it, from the first one on. */
  get parts(): number {
    return this.#parts;
  }

  /** Takes a part when it is the next one, counted from 1; another is left for when its turn comes. */
  add(part: number, bytes: Uint8Array): void {
    if (part !== this.#parts + 1) return;
    this.#hash.update(bytes);
    this.#parts = part;
  }

  /** The digest in hex; asked for once all parts are in it. */
  hex(): string {
    this.#hex ??= this.#hash.digest("hex");
    return this.#hex;
  }
}
