import { type AuthorizationServer, discoveryRequest, processDiscoveryResponse } from "oauth4webapi";
import type { ProviderEndpoints } from "../domain/provider/index.ts";
import type { ProviderFailure } from "../domain/shared/failures.ts";
import { publicAddress } from "../domain/shared/public-address.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { REQUEST } from "./client.ts";
import { NOT_UNDERSTOOD, translated } from "./failures.ts";

/** Why a URL of a provider is refused: the member that held it, and what to correct. */
export interface UrlFailure {
  readonly reason: "url_not_allowed";
  readonly member: string;
  readonly message: string;
}

/** Endpoints as a request or an issuer's metadata names them; hostile, since this service itself goes there. */
export interface NamedEndpoints {
  readonly auth_url: string;
  readonly token_url: string;
  readonly revocation_url: string | null;
  readonly userinfo_url: string | null;
}

/** Checks endpoints that were named one by one. */
export function checkEndpoints(named: NamedEndpoints, allowLoopback: boolean): Result<ProviderEndpoints, UrlFailure> {
  // Only the user's browser goes to the authorization endpoint; its query may ask for more, as some providers want.
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

/** Asks the issuer for its endpoints (OpenID Connect Discovery, 4, else RFC 8414, 3); they are checked likewise. */
export async function discoverEndpoints(
  issuer: string,
  allowLoopback: boolean,
): Promise<Result<ProviderEndpoints, UrlFailure | ProviderFailure>> {
  const checked = checkedUrl("issuer", issuer, issuer, allowLoopback);
  if (!checked.ok) return checked;
  const first = await metadataOf(checked.value, "oidc");
  const isElsewhere = !first.ok && first.failure.reason === NOT_UNDERSTOOD.reason;
  const metadata = isElsewhere ? await metadataOf(checked.value, "oauth2") : first;
  if (!metadata.ok) return metadata;
  const named = namedIn(metadata.value);
  if (named === null) return fail(NOT_UNDERSTOOD);
  const endpoints = checkEndpoints(named, allowLoopback);
  if (endpoints.ok) return ok({ ...endpoints.value, issuer: metadata.value.issuer });
  const { member, message } = endpoints.failure;
  const about = `The issuer names a ${member} that is not allowed: ${message}`;
  return fail({ reason: "url_not_allowed", member: "issuer", message: about });
}

const metadataOf = (
  issuer: string,
  algorithm: "oidc" | "oauth2",
): Promise<Result<AuthorizationServer, ProviderFailure>> =>
  translated(async () => {
    const url = new URL(issuer);
    return ok(await processDiscoveryResponse(url, await discoveryRequest(url, { ...REQUEST, algorithm })));
  });

/** The library has looked at the issuer only: the rest is whatever the other side sent. */
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

/** The URL as sent, a slash at its end included: to some providers that is another place. */
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
  return fail({ reason: "url_not_allowed", member, message: `Remove everything from # on in ${member}.` });
};
