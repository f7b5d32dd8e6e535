import type {
  AuthorizationFailure,
  ExportRunFailure,
  SourceFailure,
  StoreFailure,
} from "../../domain/shared/failures.ts";
import { destinationError } from "../../store/failures.ts";

/**
 * What a destination did wrong, for people: one of the four errors of [DST-12], the store's own code,
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

/** Why a user's way to a provider and back brought no token, for people: what happened, and what to do. */
export const authorizationText = (failure: AuthorizationFailure): string => {
  switch (failure.reason) {
    case "state_not_valid":
      return "This state is not valid: it was used already, belongs to somebody else, or is none of ours. Begin again.";
    case "authorization_expired":
      return "The authorization has expired before the provider's answer came. Begin again.";
    case "exchange_interrupted":
      return "The exchange of the code was interrupted. Begin again.";
    case "provider_refused":
      return refusalText(failure.code);
    case "provider_unreachable":
      return "The provider could not be reached; try again.";
    case "provider_timeout":
      return "The provider did not answer in time; try again.";
    case "provider_unavailable":
      return "The provider is busy or out of order; try again later.";
    case "provider_redirects":
      return "The provider answered with a redirect, which is not followed; check the endpoints of the provider.";
    case "provider_answer_too_long":
    case "provider_answer_not_understood":
      return "The provider's answer is none of OAuth 2.0; check the endpoints of the provider.";
    case "client_secret_lost":
      return "The client's secret cannot be opened; send it again (PATCH the provider).";
  }
};

/** What the provider's refusals mean for whoever reads them (RFC 6749, 4.1.2.1 and 5.2). */
const refusalText = (code: string | null): string => {
  if (code === null) return "The provider refused, in a word that OAuth 2.0 does not know.";
  const advice = REFUSAL_ADVICE.get(code);
  return `The provider refused: ${code}.${advice === undefined ? "" : ` ${advice}`}`;
};

const REFUSAL_ADVICE: ReadonlyMap<string, string> = new Map([
  ["access_denied", "The user, or the provider for them, did not consent."],
  ["invalid_client", "Check client_id, client_secret and token_endpoint_auth_method of the provider."],
  ["invalid_grant", "The code or token is used, expired, revoked or of another client. Begin again."],
  ["invalid_scope", "Check the scopes that are asked for."],
  ["unauthorized_client", "Allow this client the authorization code grant at the provider."],
]);

/** Whether the provider is to blame, not what was asked of it. */
export const isProvidersFault = ({ reason }: AuthorizationFailure): boolean =>
  reason.startsWith("provider_") && reason !== "provider_refused";

const MINUTE_MS = 60_000;

/** Why an attempt of a run ended badly, for people: a value of `errors` [XRN-20]. */
export const runFailureText = (failure: ExportRunFailure): string => {
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
