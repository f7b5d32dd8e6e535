import { mapConcurrent } from "./map-concurrent.ts";

/** Actors called concurrently. */
const LANES = 6;

/** A page is full when less than this part of it is free: filling it further costs more reads than it saves. */
const MIN_FREE_PART = 1 / 8;

/** The first answer has no limit. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** How to ask several actors for items. */
export interface Asking<Item, Answer> {
  /** Name of the actor that holds the item. */
  actorOf(item: Item): string;
  /** Asks one actor for its items. It answers for the first ones, up to `maxBytes` in all. */
  ask(items: readonly [Item, ...Item[]], maxBytes: number): Promise<readonly Answer[]>;
  bytesOf(answer: Answer): number;
}

/**
 * The answers for the first items, up to `budgetBytes`, but at least one. Short answers of many actors take one round of
 * concurrent questions.
 */
export async function collectWithinBudget<Item, Answer>(
  items: readonly Item[],
  budgetBytes: number,
  { actorOf, ask, bytesOf }: Asking<Item, Answer>,
): Promise<readonly Answer[]> {
  const known = new Map<Item, Answer>();
  let freeBytes = budgetBytes;
  let actors = items.length;
  while (actors > 0 && freeBytes >= budgetBytes * MIN_FREE_PART) {
    const missing = items.filter((item) => !known.has(item));
    // A group is never empty.
    const groups = [...Map.groupBy(missing, actorOf).values()].slice(0, actors) as [Item, ...Item[]][];
    const share = Math.floor(freeBytes / groups.length);
    await mapConcurrent(LANES, groups, async (ofActor) => {
      for (const [index, answer] of (await ask(ofActor, share)).entries()) {
        const item = ofActor[index];
        if (item !== undefined) known.set(item, answer);
        freeBytes -= bytesOf(answer);
      }
    });
    // If the share was too small for the first actor, fewer actors get larger shares.
    const wasEnough = groups[0]?.every((item) => known.has(item)) ?? false;
    if (!wasEnough) actors = Math.floor(groups.length / 2);
  }
  const [first] = items;
  if (first !== undefined && !known.has(first)) return ask([first], UNBOUNDED);
  const end = items.findIndex((item) => !known.has(item));
  // All items before the end have answers.
  return items.slice(0, end < 0 ? items.length : end).map((item) => known.get(item) as Answer);
}
