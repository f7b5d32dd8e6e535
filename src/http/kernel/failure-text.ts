import type {
  AuthorizationFailure,
  ExportFailure,
  ExportRunFailure,
  SourceFailure,
  StoreFailure,
} from "../../domain/shared/failures.ts";
import { destinationError } from "../../store/failures.ts";

/**
 * Error text for a destination: one of the four errors of [DST-12] if one is true, the store's error code, the missing
 * permission, and what to do.
 */
export const storeText = (store: StoreFailure): string => {
  const code = store.code ?? (store.status === null ? null : `HTTP ${store.status}`);
  const error = destinationError(store) ?? "The store refused the request";
  const answered = code === null ? error : `${error} (${code})`;
  const isAccess = store.reason === "access_denied" || store.reason === "bucket_not_valid";
  const permission = store.permission === null || !isAccess ? "" : ` Needed permission: ${store.permission}.`;
  return `${answered}.${permission} ${store.advice}`.trimEnd();
};

/** Error text for a ClickHouse source: ClickHouse's error code and what to do. */
export const sourceText = ({ reason, code, status, advice }: SourceFailure): string => {
  const detail = code === null ? (status === null ? "" : ` (HTTP ${status})`) : ` (ClickHouse code ${code})`;
  return `The runs could not be read from ClickHouse: ${reason.replaceAll("_", " ")}${detail}. ${advice}`;
};

/** Error text for a failed authorization: what happened and what to do. */
export const authorizationText = (failure: AuthorizationFailure): string => {
  switch (failure.reason) {
    case "state_not_valid":
      return "The state is not valid: it was already used, belongs to another user, or is unknown. Start again.";
    case "authorization_expired":
      return "The authorization expired before the provider answered. Start again.";
    case "exchange_interrupted":
      return "The exchange of the code was interrupted. Start again.";
    case "provider_refused":
      return refusalText(failure.code);
    case "provider_unreachable":
      return "The provider could not be reached; try again.";
    case "provider_timeout":
      return "The provider did not answer in time; try again.";
    case "provider_unavailable":
      return "The provider is busy or unavailable; try again later.";
    case "provider_redirects":
      return "The provider answered with a redirect, which is not followed; check the provider's endpoints.";
    case "provider_answer_too_long":
    case "provider_answer_not_understood":
      return "The provider's answer is not valid OAuth 2.0; check the provider's endpoints.";
    case "client_secret_lost":
      return "The client secret cannot be decrypted; send it again (PATCH the provider).";
  }
};

/** Error text for a provider's error code (RFC 6749, 4.1.2.1 and 5.2). */
const refusalText = (code: string | null): string => {
  if (code === null) return "The provider refused with an error code that OAuth 2.0 does not define.";
  const advice = REFUSAL_ADVICE.get(code);
  return `The provider refused: ${code}.${advice === undefined ? "" : ` ${advice}`}`;
};

const REFUSAL_ADVICE: ReadonlyMap<string, string> = new Map([
  ["access_denied", "The user did not consent, or the provider denied access."],
  ["invalid_client", "Check client_id, client_secret and token_endpoint_auth_method of the provider."],
  ["invalid_grant", "The code or token was used, expired, revoked, or issued to another client. Start again."],
  ["invalid_scope", "Check the requested scopes."],
  ["unauthorized_client", "Allow the authorization code grant for this client at the provider."],
]);

/** Whether the provider failed, not the request to it. */
export const isProvidersFault = ({ reason }: AuthorizationFailure): boolean =>
  reason.startsWith("provider_") && reason !== "provider_refused";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Error text for a failed attempt of a run: a value of `errors` [XRN-20]. */
export const runFailureText = (failure: ExportRunFailure): string => {
  switch (failure.reason) {
    case "store":
      return runStoreText(failure.store);
    case "source":
      return sourceText(failure.source);
    case "destination_deleted":
      return "The destination was deleted. Create a new destination and start another export.";
    case "run_timeout":
      return `The attempt ran longer than ${Math.round(failure.limitMs / MINUTE_MS)} minutes. Narrow the date range or export fewer fields.`;
    case "processing":
      return `Processing failed: ${failure.message}`;
    case "crashed":
      return `The step ${failure.step} was interrupted ${failure.times} times in a row.`;
  }
};

/** Error text for the end of an export, in its own record and in those of the runs that ended with it [XRN-16, XRN-24, EXP-33]. */
export const exportFailureText = (failure: ExportFailure): string => {
  switch (failure.reason) {
    case "run_failed":
      return `The run ${failure.runId} of ${failure.day} failed, so the export ended and its other runs were stopped. Read the errors of that run; when the cause is removed, retry the runs that are not COMPLETED, or clone the export.`;
    case "project_deleted":
      return "The project and its runs were deleted, so there is nothing left to export.";
    case "export_timeout":
      return `The export ran longer than ${durationText(failure.limitMs)} (EXPORT_TIMEOUT_MS): ${failure.runsDone} of ${failure.runs} runs were done, with ${failure.rowsWritten} of the ${failure.rowsPlanned} rows planned so far. Narrow the scope by a filter or fewer export_fields, or split the range into several exports.`;
  }
};

const durationText = (ms: number): string => {
  if (ms >= HOUR_MS) return `${Math.round(ms / HOUR_MS)} hours`;
  return ms >= MINUTE_MS ? `${Math.round(ms / MINUTE_MS)} minutes` : `${Math.round(ms / SECOND_MS)} seconds`;
};

/** For a retryable failure while a run writes, the store's error code says more than the errors of [DST-12]. */
const runStoreText = (store: StoreFailure): string => {
  if (!store.retryable) return storeText(store);
  const code = store.code ?? (store.status === null ? "no answer" : `HTTP ${store.status}`);
  return `A request to the destination failed (${code}). ${store.advice}`.trimEnd();
};
