import { probeKey } from "../domain/destination/layout.ts";
import type { StoreFailure } from "../domain/shared/failures.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { storeFailure } from "./failures.ts";
import type { Store } from "./store.ts";

/** Rights of the credentials in addition to writing. */
export interface Rights {
  readonly canRead: boolean;
  readonly canDelete: boolean;
}

/**
 * The destination check [DST-11]: writes the test file `<prefix>/tmp/<name>.txt`, reads its metadata, and deletes it if
 * allowed. Only the write is required. Also fails if the store did not keep an acknowledged write.
 */
export async function probe(
  store: Store,
  file: { readonly prefix: string; readonly name: string },
): Promise<Result<Rights, StoreFailure>> {
  const key = probeKey(file.prefix, file.name);
  const text = new TextEncoder().encode("Waybill wrote this file to check its write access. It can be deleted.\n");
  const written = await store.put(key, text);
  if (!written.ok) return written;

  const seen = await store.head(key);
  const isLost = seen.ok ? seen.value.bytes !== text.length : seen.failure.reason === "no_such_key";
  const removed = await store.remove(key);
  if (isLost) return fail(storeFailure("head", "not_s3", { status: seen.ok ? 200 : 404 }));
  return ok({ canRead: seen.ok, canDelete: removed.ok });
}
