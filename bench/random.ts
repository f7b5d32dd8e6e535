/** A seeded random generator: the same seed gives the same numbers on every machine. */
export interface Random {
  /** A number in [0, 1). */
  fraction(): number;
  /** A whole number in [0, end). */
  below(end: number): number;
  /** A log-normally distributed number with this median. */
  logNormal(median: number, sigma: number): number;
  /** A UUID version 7 for an instant in epoch milliseconds, as the langsmith SDK generates them. */
  uuid7(instant: number): string;
}

const WARM_UP_ROUNDS = 12;

/** The generator sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, small and fast. */
export const seededRandom = (seed: number): Random => {
  let a = 0;
  let b = 0;
  let c = seed | 0;
  let counter = 1;
  const word = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) word();
  const fraction = (): number => word() / 2 ** 32;
  const hex = (digits: number): string => (word() / 2 ** 32).toString(16).slice(2).padEnd(8, "0").slice(0, digits);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - fraction())) * Math.cos(2 * Math.PI * fraction());
  return {
    fraction,
    below: (end) => Math.floor(fraction() * end),
    logNormal: (median, sigma) => median * Math.exp(sigma * normal()),
    uuid7: (instant) => {
      const time = instant.toString(16).padStart(12, "0");
      const variant = "89ab"[word() & 3];
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(8)}${hex(4)}`;
    },
  };
};
