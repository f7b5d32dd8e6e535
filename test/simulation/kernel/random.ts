/** A seeded random generator (sfc32): the same seed gives the same numbers on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = 0x9e3779b9;
    this.#c = 0x243f6a88;
    for (let i = 0; i < 12; i += 1) this.#next(); // the first numbers of neighbouring seeds are similar
  }

  /** A number in [0, 1). */
  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  /** A whole number, both bounds included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return probability > 0 && this.fraction() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.between(0, choices.length - 1)];
    if (chosen === undefined) throw new Error("nothing to choose from");
    return chosen;
  }

  /** Fills the array with random bytes. */
  fill<T extends Uint8Array>(bytes: T): T {
    for (let i = 0; i < bytes.length; i += 1) bytes[i] = this.#next() & 0xff;
    return bytes;
  }

  uuid(): `${string}-${string}-${string}-${string}-${string}` {
    const hex = () => this.#next().toString(16).padStart(8, "0");
    const [a, b, c, d] = [hex(), hex(), hex(), hex()];
    return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
  }

  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return sum >>> 0;
  }
}
