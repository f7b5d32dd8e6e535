import type { DerivedSegment } from "./events.ts";

/** Positions of the segments in the snapshot that derived segments replace. */
export function replacedBy(derived: readonly DerivedSegment[]): ReadonlySet<number> {
  const replaced = new Set<number>();
  for (const { index, upTo = index } of derived) for (let at = index; at <= upTo; at += 1) replaced.add(at);
  return replaced;
}
