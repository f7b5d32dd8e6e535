import { createHash } from "node:crypto";

/**
 * SHA-256 of a file whose parts are hashed in their order. Lives in memory only: after a restart it begins at the first
 * part again, with bytes read again.
 */
export class FileDigest {
  readonly #hash = createHash("sha256");
  #parts = 0;
  #hex: string | null = null;

  /** How many parts were hashed. */
  get parts(): number {
    return this.#parts;
  }

  /** Hashes a part, counted from 1, if it is the next one; ignores any other. */
  add(part: number, bytes: Uint8Array): void {
    if (part !== this.#parts + 1) return;
    this.#hash.update(bytes);
    this.#parts = part;
  }

  /** The digest in hex. Call it when all parts were hashed; no part can be added afterwards. */
  hex(): string {
    this.#hex ??= this.#hash.digest("hex");
    return this.#hex;
  }
}
