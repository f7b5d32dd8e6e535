import { probeKey } from "../domain/destination/layout.ts";
import type { StoreFailure } from "../domain/shared/failures.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import type { Store } from "./client.ts";
import { storeFailureOf } from "./failures.ts";

/** What the key pair may do besides writing. */
export interface Rights {
  readonly canRead: boolean;
  readonly canDelete: boolean;
}

/**
 * The destination check [DST-11]: writes the test file `<prefix>/tmp/<name>.txt`, looks at it, and deletes it if
 * allowed. Only the write is required. Fails, too, when the store shows that it did not keep what it acknowledged.
 */
export async function probe(
  store: Store,
  file: { readonly prefix: string; readonly name: string },
): Promise<Result<Rights, StoreFailure>> {
  const key = probeKey(file.prefix, file.name);
  const text = new TextEncoder().encode("Waybill checked here that it may write. This file can be deleted.\n");
  const written = await store.put(key, text);
  if (!written.ok) return written;

  const seen = await store.head(key);
  const lost = seen.ok ? seen.value.bytes !== text.length : seen.failure.reason === "no_such_key";
  const removed = await store.remove(key);
  if (lost) return fail(storeFailureOf("head", { kind: "not_s3", status: seen.ok ? 200 : 404 }));
  return ok({ canRead: seen.ok, canDelete: removed.ok });
}
