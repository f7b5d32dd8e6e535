import { describe, expect, it } from "vitest";
import { MAX_PROVIDERS, type Provider, type ProviderEvent, providers } from "../../../src/domain/provider/index.ts";
import { specification } from "../../support/given.ts";
import { NOW } from "../../support/samples.ts";

const { given } = specification(providers);

const provider = (providerId = "github"): Provider => ({
  record: {
    id: `record of ${providerId}`,
    providerId,
    tenantId: "t",
    displayName: "GitHub",
    endpoints: {
      issuer: null,
      authorization: "https://a.example.com/authorize",
      token: "https://a.example.com/token",
      revocation: null,
      userinfo: null,
    },
    clientId: "client",
    authentication: "client_secret_post",
    usesPkce: true,
    defaultScopes: [],
    createdAt: NOW,
    updatedAt: NOW,
  },
  envelope: "sealed",
});
const added = (id?: string): ProviderEvent => ({ type: "ProviderAdded", provider: provider(id), at: NOW });

describe("a provider", () => {
  it("is added once by its name", () => {
    given().when({ type: "Add", provider: provider(), now: NOW }).then(added());
    given(added()).when({ type: "Add", provider: provider(), now: NOW }).thenNothing();
  });

  it("changes in what was named, its secret stays unless it is named, and its endpoints always", () => {
    const change = { displayName: "Hub", usesPkce: false };
    const { state } = given(added())
      .when({ type: "Change", providerId: "github", change, now: NOW + 1 })
      .then({ type: "ProviderChanged", providerId: "github", change, at: NOW + 1 });
    const { record } = provider();
    given(added())
      .when({ type: "Change", providerId: "github", change: { envelope: "other" }, now: NOW })
      .then({ type: "ProviderChanged", providerId: "github", change: { envelope: "other" }, at: NOW });
    expect(state.get("github")).toEqual({ record: { ...record, ...change, updatedAt: NOW + 1 }, envelope: "sealed" });
    given(added()).when({ type: "Change", providerId: "github", change: {}, now: NOW }).thenNothing();
    given().when({ type: "Change", providerId: "github", change, now: NOW }).thenNothing();
  });

  it("that is removed is gone, and its name is free", () => {
    const removed: ProviderEvent = { type: "ProviderRemoved", providerId: "github", at: NOW };
    given(added()).when({ type: "Remove", providerId: "github", now: NOW }).then(removed).thenWakesAt(null);
    given(added(), removed).when({ type: "Remove", providerId: "github", now: NOW }).thenNothing();
    given(added(), removed).when({ type: "Add", provider: provider(), now: NOW }).then(added());
  });

  it("is one of at most 100", () => {
    const many = Array.from({ length: MAX_PROVIDERS }, (_, at) => added(`p${at}`));
    given(...many)
      .when({ type: "Add", provider: provider(), now: NOW })
      .thenNothing();
  });
});
