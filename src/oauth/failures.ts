import { ResponseBodyError, WWWAuthenticateChallengeError } from "oauth4webapi";
import type { ProviderFailure } from "../domain/shared/failures.ts";
import { fail, type Result } from "../domain/shared/result.ts";
import { UnusableAnswer } from "./bounded-fetch.ts";

/** Error codes of RFC 6749, 4.1.2.1 and 5.2, RFC 7009, 2.2.1, and OpenID Connect Core, 3.1.2.6. Others are not reported. */
const KNOWN_CODES = new Set([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "unsupported_token_type",
  "invalid_scope",
  "access_denied",
  "server_error",
  "temporarily_unavailable",
  "interaction_required",
  "login_required",
  "account_selection_required",
  "consent_required",
]);

/** Error codes of GitHub and their standard codes (GitHub: access token request errors). */
const GITHUB_CODES: ReadonlyMap<string, string> = new Map([
  ["bad_verification_code", "invalid_grant"],
  ["bad_refresh_token", "invalid_grant"],
  ["incorrect_client_credentials", "invalid_client"],
]);

/** The failure for a provider's error code. `code` of the failure is null if the provider's code is not known. */
export const refusedBy = (sent: string | null): ProviderFailure => {
  const code = GITHUB_CODES.get(sent ?? "") ?? sent;
  return { reason: "provider_refused", code: code !== null && KNOWN_CODES.has(code) ? code : null };
};

export const NOT_UNDERSTOOD: ProviderFailure = { reason: "provider_answer_not_understood", code: null };

/** Translates errors of the OAuth library into failures, without their texts, which may contain secrets of the answer. */
export async function translated<T>(
  work: () => Promise<Result<T, ProviderFailure>>,
): Promise<Result<T, ProviderFailure>> {
  try {
    return await work();
  } catch (thrown) {
    return fail(failureOf(thrown));
  }
}

const failureOf = (thrown: unknown): ProviderFailure => {
  if (thrown instanceof UnusableAnswer) return { reason: thrown.reason, code: null };
  if (thrown instanceof ResponseBodyError) return refusedBy(thrown.error);
  if (thrown instanceof WWWAuthenticateChallengeError) return refusedBy("invalid_client");
  return NOT_UNDERSTOOD;
};
