import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Page } from "../../src/domain/shared/page.ts";
import { pageOf } from "../../src/domain/shared/page.ts";
import { ok, type Result } from "../../src/domain/shared/result.ts";

/** Lists whose records may be long cross between actors in parts, since one message there holds 32 MiB. */

export interface ListBatchQuery extends Page {
  /** `next` of the part before, from which `offset` does not count any more; null: the first part. */
  readonly after: string | null;
}

export interface ListBatch<T> {
  readonly items: readonly T[];
  /** What to ask for as `after`; null: nothing follows. */
  readonly next: string | null;
}

/** Asks for everything. */
export const FIRST_BATCH: ListBatchQuery = { offset: 0, limit: null, after: null };

/** A part ends behind the item that fills this; as text between actors each character has two bytes at most. */
export const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Items read side by side: each may wake an actor. */
const READ_TOGETHER = 64;

/** The part of a list that is asked for. Ids stay in their order for ever; what is gone by now (null) is left out. */
export async function batchOf<T>(
  ids: readonly string[],
  { after, offset, limit }: ListBatchQuery,
  read: (id: string) => Promise<T | null>,
): Promise<ListBatch<T>> {
  const asked = pageOf(ids, { offset: after === null ? offset : ids.indexOf(after) + 1, limit });
  const items: T[] = [];
  let characters = 0;
  for (let at = 0; at < asked.length; at += READ_TOGETHER) {
    const batch = asked.slice(at, at + READ_TOGETHER);
    for (const [index, item] of (await Promise.all(batch.map(read))).entries()) {
      if (item === null) continue;
      items.push(item);
      characters += JSON.stringify(item).length;
      const isLast = at + index + 1 === asked.length;
      if (characters >= BATCH_CHARACTERS && !isLast) return { items, next: batch[index] ?? null };
    }
  }
  return { items, next: null };
}

/** All that a page asks for, or why a part of it is refused. */
export async function allBatches<T>(
  page: Page,
  ask: (query: ListBatchQuery) => Promise<Result<ListBatch<T>, Refusal>>,
): Promise<Result<readonly T[], Refusal>> {
  const items: T[] = [];
  let after: string | null = null;
  do {
    const limit: number | null = page.limit === null ? null : page.limit - items.length;
    const part: Result<ListBatch<T>, Refusal> = await ask({ offset: page.offset, limit, after });
    if (!part.ok) return part;
    items.push(...part.value.items);
    after = part.value.next;
  } while (after !== null);
  return ok(items);
}
