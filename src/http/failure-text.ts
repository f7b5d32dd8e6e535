import type { RunFailure, SourceFailure, StoreFailure } from "../domain/failures.ts";
import { destinationError } from "../s3/failures.ts";

/**
 * What a destination did wrong, for people: one of the four errors of spec 7.2 word by word, the store's own code,
 * the permission that is missing, and what to do next.
 */
export const storeText = (store: StoreFailure): string => {
  const said = store.code ?? (store.status === null ? null : `HTTP ${store.status}`);
  const error = said === null ? destinationError(store) : `${destinationError(store)} (${said})`;
  const aboutRights = store.reason === "access_denied" || store.reason === "bucket_not_valid";
  const permission = store.permission === null || !aboutRights ? "" : ` Needed permission: ${store.permission}.`;
  return `${error}.${permission} ${store.advice}`.trimEnd();
};

/** What a table that runs are read from did wrong, for people: ClickHouse's own number and what to do next. */
export const sourceText = ({ reason, code, status, advice }: SourceFailure): string => {
  const said = code === null ? (status === null ? "" : ` (HTTP ${status})`) : ` (ClickHouse code ${code})`;
  return `The runs could not be read from ClickHouse: ${reason.replaceAll("_", " ")}${said}. ${advice}`;
};

const MINUTE_MS = 60_000;

/** Why an attempt of a run ended badly, for people: a value of `errors` (spec 2.7). */
export const runFailureText = (failure: RunFailure): string => {
  switch (failure.reason) {
    case "store":
      return runStoreText(failure.store);
    case "source":
      return sourceText(failure.source);
    case "destination_deleted":
      return "The destination was deleted. Create it anew and start another export.";
    case "run_timeout":
      return `The attempt ran longer than ${Math.round(failure.limitMs / MINUTE_MS)} minutes. Narrow the date range or export fewer fields.`;
    case "processing":
      return `Processing failed: ${failure.message}`;
    case "crashed":
      return `The step ${failure.step} was interrupted ${failure.times} times in a row.`;
  }
};

/** A store that is merely slow or absent while a run writes is not the fault of its address: its own word says more. */
const runStoreText = (store: StoreFailure): string => {
  if (!store.retryable) return storeText(store);
  const said = store.code ?? (store.status === null ? "no answer" : `HTTP ${store.status}`);
  return `The destination did not take a request (${said}). ${store.advice}`.trimEnd();
};
