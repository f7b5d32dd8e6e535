/** The earliest of the instants. null counts as no instant. */
export function earliest(...instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : Math.min(...known);
}
