import { type AuthorizationServer, discoveryRequest, processDiscoveryResponse } from "oauth4webapi";
import type { ProviderEndpoints } from "../domain/provider/records.ts";
import type { ProviderFailure } from "../domain/shared/failures.ts";
import { publicAddress } from "../domain/shared/public-address.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { REQUEST } from "./client.ts";
import { NOT_UNDERSTOOD, translated } from "./failures.ts";

/** Why a URL of a provider is refused: the member of the request, and what to correct. */
export interface UrlFailure {
  readonly reason: "url_not_allowed";
  readonly member: string;
  readonly message: string;
}

/** Endpoints from a request or from an issuer's metadata. Untrusted: this service sends requests there. */
export interface NamedEndpoints {
  readonly auth_url: string;
  readonly token_url: string;
  readonly revocation_url: string | null;
  readonly userinfo_url: string | null;
}

/** Checks endpoints: public https addresses, with `allowLoopback` also plain http on this machine. */
export function checkEndpoints(named: NamedEndpoints, allowLoopback: boolean): Result<ProviderEndpoints, UrlFailure> {
  // The authorization endpoint may have a query, which some providers need. Only the user's browser opens it.
  const [authorizationAddress = ""] = named.auth_url.split("?", 1);
  const authorization = checkedUrl("auth_url", named.auth_url, authorizationAddress, allowLoopback);
  const token = checkedUrl("token_url", named.token_url, named.token_url, allowLoopback);
  const revocation = optionalUrl("revocation_url", named.revocation_url, allowLoopback);
  const userinfo = optionalUrl("userinfo_url", named.userinfo_url, allowLoopback);
  if (!authorization.ok) return authorization;
  if (!token.ok) return token;
  if (!revocation.ok) return revocation;
  if (!userinfo.ok) return userinfo;
  return ok({
    issuer: null,
    authorization: authorization.value,
    token: token.value,
    revocation: revocation.value,
    userinfo: userinfo.value,
  });
}

/** Gets the endpoints from the issuer's metadata (OpenID Connect Discovery, 4, else RFC 8414, 3) and checks them. */
export async function discoverEndpoints(
  issuer: string,
  allowLoopback: boolean,
): Promise<Result<ProviderEndpoints, UrlFailure | ProviderFailure>> {
  const checked = checkedUrl("issuer", issuer, issuer, allowLoopback);
  if (!checked.ok) return checked;
  const first = await metadataOf(checked.value, "oidc");
  const hasNoOidcMetadata = !first.ok && first.failure.reason === NOT_UNDERSTOOD.reason;
  const metadata = hasNoOidcMetadata ? await metadataOf(checked.value, "oauth2") : first;
  if (!metadata.ok) return metadata;
  const named = namedIn(metadata.value);
  if (named === null) return fail(NOT_UNDERSTOOD);
  const endpoints = checkEndpoints(named, allowLoopback);
  if (endpoints.ok) return ok({ ...endpoints.value, issuer: metadata.value.issuer });
  const { member, message } = endpoints.failure;
  const text = `The issuer's metadata has a ${member} that is not allowed: ${message}`;
  return fail({ reason: "url_not_allowed", member: "issuer", message: text });
}

const metadataOf = (
  issuer: string,
  algorithm: "oidc" | "oauth2",
): Promise<Result<AuthorizationServer, ProviderFailure>> =>
  translated(async () => {
    const url = new URL(issuer);
    return ok(await processDiscoveryResponse(url, await discoveryRequest(url, { ...REQUEST, algorithm })));
  });

/** The endpoints in the metadata; null: a required one is missing. The library has checked the issuer only. */
const namedIn = (metadata: AuthorizationServer): NamedEndpoints | null => {
  const { authorization_endpoint, token_endpoint, revocation_endpoint, userinfo_endpoint } = metadata;
  if (typeof authorization_endpoint !== "string" || typeof token_endpoint !== "string") return null;
  return {
    auth_url: authorization_endpoint,
    token_url: token_endpoint,
    revocation_url: typeof revocation_endpoint === "string" ? revocation_endpoint : null,
    userinfo_url: typeof userinfo_endpoint === "string" ? userinfo_endpoint : null,
  };
};

const optionalUrl = (member: string, text: string | null, allowLoopback: boolean): Result<string | null, UrlFailure> =>
  text === null ? ok(null) : checkedUrl(member, text, text, allowLoopback);

/** Checks a URL and returns it with its trailing slash, if any, because that matters to some providers. */
const checkedUrl = (
  member: string,
  text: string,
  address: string,
  allowLoopback: boolean,
): Result<string, UrlFailure> => {
  const checked = publicAddress(address, { member, example: "https://login.example.com/token", allowLoopback });
  if (!checked.ok) return fail({ reason: "url_not_allowed", member, message: checked.failure });
  const url = URL.parse(text);
  if (url !== null && url.hash === "") return ok(url.href);
  return fail({
    reason: "url_not_allowed",
    member,
    message: `Remove the fragment (# and what follows) from ${member}.`,
  });
};
