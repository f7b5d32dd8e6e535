import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Page } from "../../src/domain/shared/page.ts";
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

/** The ids of a long list. */
export interface ListedIds {
  readonly length: number;
  idAt(index: number): string;
  /** -1: the list does not have it. */
  indexOf(id: string): number;
}

export const listedIds = (ids: readonly string[]): ListedIds => ({
  length: ids.length,
  idAt: (index) => ids[index] ?? "",
  indexOf: (id) => ids.indexOf(id),
});

/** A batch of a list. The order of ids never changes; items that no longer exist (null) are left out. */
export async function batchOf<T>(
  ids: ListedIds,
  { after, offset, limit }: ListBatchQuery,
  read: (id: string, index: number) => Promise<T | null>,
): Promise<ListBatch<T>> {
  const first = after === null ? offset : ids.indexOf(after) + 1;
  const end = Math.min(ids.length, limit === null ? ids.length : first + limit);
  const items: T[] = [];
  let characters = 0;
  for (let at = first; at < end; at += READ_TOGETHER) {
    const batch = Array.from({ length: Math.min(READ_TOGETHER, end - at) }, (_, i) => at + i);
    const records = await Promise.all(batch.map((index) => read(ids.idAt(index), index)));
    for (const [i, item] of records.entries()) {
      if (item === null) continue;
      items.push(item);
      characters += JSON.stringify(item).length;
      if (characters >= BATCH_CHARACTERS && at + i + 1 < end) return { items, next: ids.idAt(at + i) };
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
