import { MAX_LABEL_CHARACTERS } from "../domain/grant/events.ts";
import type { ProviderRecord } from "../domain/provider/records.ts";
import { isCleanText } from "../domain/shared/text.ts";
import { boundedFetch } from "./bounded-fetch.ts";

/** Claims that identify an account for people, in order of preference (OpenID Connect Core, 5.1; `login`: GitHub). */
const NAMES = ["email", "preferred_username", "login", "name", "sub"] as const;

/** Label of the account of a token, from the provider's userinfo endpoint. null on any failure: a label is optional. */
export async function accountLabelOf(provider: ProviderRecord, accessToken: string): Promise<string | null> {
  const { userinfo } = provider.endpoints;
  if (userinfo === null) return null;
  try {
    const headers = { Authorization: `Bearer ${accessToken}`, Accept: "application/json", "User-Agent": "waybill" };
    const response = await boundedFetch(userinfo, { method: "GET", headers });
    const answer: unknown = response.ok ? await response.json() : null;
    if (typeof answer !== "object" || answer === null) return null;
    const claims = new Map<string, unknown>(Object.entries(answer));
    return NAMES.map((name) => claims.get(name)).find(isLabel) ?? null;
  } catch {
    return null;
  }
}

const isLabel = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_LABEL_CHARACTERS && isCleanText(value);
