import { mapConcurrent } from "./map-concurrent.ts";

/** Actors asked at once. */
const LANES = 6;

/** With less of its room a page is full: to look for what still fits would be more reading than it spares. */
const MIN_ROOM = 1 / 8;

/** An answer is told in any case, whatever its length, where it is the first. */
const ANY_LENGTH = Number.MAX_SAFE_INTEGER;

/** How many things that several actors keep are asked for. */
export interface Asking<Item, Answer> {
  /** The name of the actor that keeps it. */
  actorOf(item: Item): string;
  /** All are of one actor. It answers for the first of them, as many as have so many bytes in all. */
  ask(items: readonly [Item, ...Item[]], maxBytes: number): Promise<readonly Answer[]>;
  bytesOf(answer: Answer): number;
}

/**
 * The answers for the first items, as many as there is room for, but one at least. Short ones of many actors are asked
 * for side by side and once.
 */
export async function collectWithinBudget<Item, Answer>(
  items: readonly Item[],
  roomBytes: number,
  { actorOf, ask, bytesOf }: Asking<Item, Answer>,
): Promise<readonly Answer[]> {
  const known = new Map<Item, Answer>();
  let room = roomBytes;
  let together = items.length;
  while (together > 0 && room >= roomBytes * MIN_ROOM) {
    const missing = items.filter((item) => !known.has(item));
    // A group has what made it.
    const asked = [...Map.groupBy(missing, actorOf).values()].slice(0, together) as [Item, ...Item[]][];
    const share = Math.floor(room / asked.length);
    await mapConcurrent(LANES, asked, async (ofActor) => {
      for (const [index, answer] of (await ask(ofActor, share)).entries()) {
        const item = ofActor[index];
        if (item !== undefined) known.set(item, answer);
        room -= bytesOf(answer);
      }
    });
    // Where its share was too small for the first of them, fewer have more.
    const wasEnough = asked[0]?.every((item) => known.has(item)) ?? false;
    if (!wasEnough) together = Math.floor(asked.length / 2);
  }
  const [first] = items;
  if (first !== undefined && !known.has(first)) return ask([first], ANY_LENGTH);
  const end = items.findIndex((item) => !known.has(item));
  // All before the end are known.
  return items.slice(0, end < 0 ? items.length : end).map((item) => known.get(item) as Answer);
}
