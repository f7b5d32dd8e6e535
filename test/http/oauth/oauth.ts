import { inject } from "vitest";
import { CLIENT_SECRET } from "../../support/oauth-secret.ts";
import { ADMIN, type Answer, call, type TestWorkspace } from "../client.ts";

export const PROVIDERS = "/v2/auth/providers";
export const AUTHENTICATE = "/v2/auth/authenticate";
export const TOKENS = "/v2/auth/tokens";
export const CALLBACK = "/v2/auth/callback/peer";

/** The real authorization server as a provider of a workspace: found by its issuer, as the client `basic`. */
export const providerBody = (change: object = {}) => ({
  provider_id: "peer",
  name: "Peer",
  client_id: "basic",
  client_secret: CLIENT_SECRET,
  token_endpoint_auth_method: "client_secret_basic",
  issuer: inject("oauthIssuer"),
  default_scopes: ["openid", "email"],
  ...change,
});

export const addProvider = async (
  { headers }: Pick<TestWorkspace, "headers">,
  change: object = {},
): Promise<Answer> => {
  const added = await call("POST", PROVIDERS, { headers, body: providerBody(change) });
  if (added.status !== 200) throw new Error(added.text);
  return added;
};

export interface TestUser {
  readonly headers: Readonly<Record<string, string>>;
  readonly userId: string;
}

export const newUser = async (workspaceId: string, userId: string = crypto.randomUUID()): Promise<TestUser> => {
  const body = { label: "tests", role: "manage", user_id: userId };
  const made = await call("POST", `/admin/workspaces/${workspaceId}/keys`, { headers: ADMIN, body });
  if (made.status !== 200) throw new Error(made.text);
  return { userId, headers: { "X-API-Key": made.body.api_key } };
};

/** Requests a token; the answer is a token or an authorization URL. */
export const authenticate = (user: Pick<TestUser, "headers">, change: object = {}): Promise<Answer> =>
  call("POST", AUTHENTICATE, {
    headers: user.headers,
    body: { provider: "peer", scopes: ["openid", "email"], ...change },
  });

/** The callback URL of a user's browser after login and consent (or refusal) at the provider. */
export const consent = async (url: string, decision: "yes" | "no" = "yes"): Promise<URL> => {
  const cookies = new Map<string, string>();
  let next: { readonly url: string; readonly form?: string } = { url };
  for (let hops = 0; hops < 20; hops += 1) {
    if (next.url.startsWith("https://waybill.test/")) return new URL(next.url);
    const response: Response = await fetch(next.url, {
      method: next.form === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: {
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(next.form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
      },
      ...(next.form === undefined ? {} : { body: next.form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const page = await response.text();
    const location = response.headers.get("Location");
    next = location === null ? pageAnswered(page, next.url, decision) : { url: new URL(location, next.url).href };
  }
  throw new Error("the provider leads nowhere");
};

const pageAnswered = (page: string, url: string, decision: "yes" | "no") => {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
  const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
  if (action === undefined || prompt === undefined) throw new Error(`no form at ${new URL(url).pathname}`);
  if (decision === "no") return { url: `${url}/abort` };
  const fields = prompt === "login" ? { login: "ada", password: "any" } : {};
  return { url: new URL(action, url).href, form: new URLSearchParams({ prompt, ...fields }).toString() };
};

/** Code and state as a frontend sends them to [OAU-2]. */
export const bodyOf = (back: URL): { readonly code: string; readonly state: string } => ({
  code: back.searchParams.get("code") ?? "",
  state: back.searchParams.get("state") ?? "",
});

/** A user with a token of the provider. */
export const connect = async (user: Pick<TestUser, "headers">): Promise<Answer> => {
  const begun = await authenticate(user);
  if (begun.body.status !== "pending") throw new Error(begun.text);
  const finished = await call("POST", CALLBACK, { headers: user.headers, body: bodyOf(await consent(begun.body.url)) });
  if (finished.status !== 200) throw new Error(finished.text);
  return finished;
};
