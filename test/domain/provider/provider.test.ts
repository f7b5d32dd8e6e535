import { describe, expect, it } from "vitest";
import { MAX_PROVIDERS } from "../../../src/domain/provider/decide.ts";
import type { ProviderEvent } from "../../../src/domain/provider/events.ts";
import { providers } from "../../../src/domain/provider/index.ts";
import type { Provider, ProviderChange } from "../../../src/domain/provider/records.ts";
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
    given().when({ type: "AddProvider", provider: provider(), now: NOW }).then(added());
    given(added()).when({ type: "AddProvider", provider: provider(), now: NOW }).thenRefused({ reason: "conflict" });
  });

  it("changes in the members sent; its secret is kept unless sent, and its endpoints always", () => {
    const change = { displayName: "Hub", usesPkce: false };
    const { state } = given(added())
      .when({ type: "ChangeProvider", providerId: "github", change, now: NOW + 1 })
      .then({ type: "ProviderChanged", providerId: "github", change, at: NOW + 1 });
    const { record } = provider();
    given(added())
      .when({ type: "ChangeProvider", providerId: "github", change: { envelope: "other" }, now: NOW })
      .then({ type: "ProviderChanged", providerId: "github", change: { envelope: "other" }, at: NOW });
    expect(state.get("github")).toEqual({ record: { ...record, ...change, updatedAt: NOW + 1 }, envelope: "sealed" });
    given(added()).when({ type: "ChangeProvider", providerId: "github", change: {}, now: NOW }).thenNothing();
    given()
      .when({ type: "ChangeProvider", providerId: "github", change, now: NOW })
      .thenRefused({ reason: "not_found", what: "provider" });
  });

  it("has a secret exactly when its authentication method needs one", () => {
    const change = (from: ProviderEvent, wanted: ProviderChange) =>
      given(from).when({ type: "ChangeProvider", providerId: "github", change: wanted, now: NOW });
    const open: ProviderEvent = {
      type: "ProviderAdded",
      provider: { record: { ...provider().record, authentication: "none" }, envelope: null },
      at: NOW,
    };
    change(open, { authentication: "client_secret_basic" }).thenRefused({ reason: "invalid", type: "missing" });
    change(open, { envelope: "sealed" }).thenRefused({ reason: "invalid", type: "value_error" });
    const closed = change(open, { authentication: "client_secret_basic", envelope: "sealed" });
    expect(closed.state.get("github")).toMatchObject({ envelope: "sealed" });
    const opened = change(added(), { authentication: "none" });
    expect(opened.state.get("github")).toMatchObject({ envelope: null });
  });

  it("is unknown after it is removed, and its name is free", () => {
    const removed: ProviderEvent = { type: "ProviderRemoved", providerId: "github", at: NOW };
    given(added()).when({ type: "RemoveProvider", providerId: "github", now: NOW }).then(removed).thenWakesAt(null);
    given(added(), removed)
      .when({ type: "RemoveProvider", providerId: "github", now: NOW })
      .thenRefused({ reason: "not_found", what: "provider" });
    given(added(), removed).when({ type: "AddProvider", provider: provider(), now: NOW }).then(added());
  });

  it("is one of at most 100", () => {
    const many = Array.from({ length: MAX_PROVIDERS }, (_, at) => added(`p${at}`));
    given(...many)
      .when({ type: "AddProvider", provider: provider(), now: NOW })
      .thenRefused({ reason: "conflict" });
  });
});
