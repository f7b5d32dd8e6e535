import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Page } from "../../src/domain/shared/page.ts";
import { pageOf } from "../../src/domain/shared/page.ts";
import { ok, type Result } from "../../src/domain/shared/result.ts";

/** Long lists are sent between actors in batches, because a message holds at most 32 MiB. */

export interface ListBatchQuery extends Page {
  /** `next` of the previous batch; `offset` has no effect then. null: the first batch. */
  readonly after: string | null;
}

export interface ListBatch<T> {
  readonly items: readonly T[];
  /** `after` of the next query; null: this was the last batch. */
  readonly next: string | null;
}

/** The first batch of the whole list. */
export const FIRST_BATCH: ListBatchQuery = { offset: 0, limit: null, after: null };

/** A batch ends after the item that reaches this. A character has at most two bytes in a message. */
export const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Items read concurrently; each may wake an actor. */
const READ_TOGETHER = 64;

/** A batch of a list. The order of ids never changes; items that no longer exist (null) are left out. */
export async function batchOf<T>(
  ids: readonly string[],
  { after, offset, limit }: ListBatchQuery,
  read: (id: string) => Promise<T | null>,
): Promise<ListBatch<T>> {
  const pageIds = pageOf(ids, { offset: after === null ? offset : ids.indexOf(after) + 1, limit });
  const items: T[] = [];
  let characters = 0;
  for (let at = 0; at < pageIds.length; at += READ_TOGETHER) {
    const batch = pageIds.slice(at, at + READ_TOGETHER);
    for (const [index, item] of (await Promise.all(batch.map(read))).entries()) {
      if (item === null) continue;
      items.push(item);
      characters += JSON.stringify(item).length;
      const isLast = at + index + 1 === pageIds.length;
      if (characters >= BATCH_CHARACTERS && !isLast) return { items, next: batch[index] ?? null };
    }
  }
  return { items, next: null };
}

/** All items of a page, or why a batch of it was refused. */
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
