import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GrantCommand } from "../../../src/domain/grant/commands.ts";
import { AUTHORIZATION_MS, EXCHANGE_MS, findToken, MAX_TOKENS } from "../../../src/domain/grant/decide.ts";
import type { GrantEvent, Token } from "../../../src/domain/grant/events.ts";
import { grant } from "../../../src/domain/grant/index.ts";
import { matchingTokens, usabilityOf } from "../../../src/domain/grant/token-choice.ts";
import { eventsOf } from "../../support/events-of.ts";
import { specification } from "../../support/given.ts";
import { HOUR_MS, NOW } from "../../support/samples.ts";

const { given } = specification(grant);

const BEGIN = {
  type: "BeginAuthorization",
  authId: "a",
  scopes: ["s"],
  redirectUri: "https://x/",
  isDefault: true,
  now: NOW,
} as const;
const FURTHER = { ...BEGIN, authId: "further" } as const;
const begun = (authId = "a", at = NOW): Extract<GrantEvent, { type: "AuthorizationBegun" }> => ({
  type: "AuthorizationBegun",
  authId,
  scopes: ["s"],
  redirectUri: "https://x/",
  isDefault: true,
  expiresAt: at + AUTHORIZATION_MS,
  at,
});
const asked: GrantEvent = { ...begun(), scopes: ["s", "more"] };
const received: GrantEvent = { type: "CodeReceived", authId: "a", until: NOW + EXCHANGE_MS, at: NOW };
const NEW = { id: "t", scopes: ["s"], expiresAt: NOW + HOUR_MS, canRefresh: true, accountLabel: null };
const token: Token = { ...NEW, isDefault: true, createdAt: NOW, updatedAt: NOW };
const granted = (change: Partial<Token> = {}): GrantEvent => ({
  type: "TokenGranted",
  authId: "a",
  token: { ...token, ...change },
  at: NOW,
});
const EXPIRED = { reason: "authorization_expired" } as const;
const failed = (failure: Extract<GrantEvent, { type: "AuthorizationFailed" }>["failure"], at = NOW): GrantEvent => ({
  type: "AuthorizationFailed",
  authId: "a",
  failure,
  at,
});

describe("an authorization", () => {
  it("begins once, and is open for ten minutes", () => {
    given()
      .when(BEGIN)
      .then(begun())
      .thenWakesAt(NOW + AUTHORIZATION_MS);
    given(begun()).when(BEGIN).thenNothing();
  });

  it("accepts only one code", () => {
    given(begun())
      .when({ type: "ReceiveCode", authId: "a", now: NOW })
      .then(received)
      .thenWakesAt(NOW + EXCHANGE_MS);
  });

  it("accepts no code after it has expired, also before the alarm records that", () => {
    const late = NOW + AUTHORIZATION_MS;
    given(begun())
      .when({ type: "Wake", now: late - 1 })
      .thenNothing();
    given(begun()).when({ type: "Wake", now: late }).then(failed(EXPIRED, late)).thenWakesAt(null);
    for (const expired of [given(begun()), given(begun(), failed(EXPIRED, late))])
      expired
        .when({ type: "ReceiveCode", authId: "a", now: late })
        .thenRefused({ reason: "authorization", failure: EXPIRED });
  });

  it("that was used and one that never existed are refused with the same error", () => {
    const notValid = { reason: "authorization", failure: { reason: "state_not_valid" } } as const;
    for (const used of [given(), given(begun(), received), given(begun(), received, granted())])
      used.when({ type: "ReceiveCode", authId: "a", now: NOW }).thenRefused(notValid);
  });

  it("whose exchange was interrupted has failed after a minute, and accepts no token afterwards", () => {
    const late = NOW + EXCHANGE_MS;
    const interrupted = failed({ reason: "exchange_interrupted" }, late);
    given(begun(), received).when({ type: "Wake", now: late }).then(interrupted);
    given(begun(), received, interrupted)
      .when({ type: "GrantToken", authId: "a", token: NEW, now: late })
      .thenRefused({ reason: "authorization", failure: { reason: "provider_timeout", code: null } });
  });

  it("that failed stays failed", () => {
    const refusal = { reason: "provider_refused", code: "invalid_grant" } as const;
    given(begun(), received)
      .when({ type: "FailAuthorization", authId: "a", failure: refusal, now: NOW })
      .then(failed(refusal));
    given(begun(), received, failed(refusal))
      .when({ type: "FailAuthorization", authId: "a", failure: EXPIRED, now: NOW })
      .thenNothing();
  });

  it("that ended is deleted after an hour", () => {
    const { state } = given(begun(), failed(EXPIRED), begun("b", NOW + HOUR_MS));
    expect([...state.authorizations.keys()]).toEqual(["b"]);
  });
});

describe("a token", () => {
  it("is granted by an exchange, and the first one is the default", () => {
    given({ ...begun(), isDefault: false } as GrantEvent, received)
      .when({ type: "GrantToken", authId: "a", token: NEW, now: NOW })
      .then(granted())
      .thenWakesAt(null);
  });

  it("that becomes the default replaces the default before it", () => {
    const { state } = given(granted(), granted({ id: "u" }));
    expect([...state.tokens.values()].map(({ id, isDefault }) => [id, isDefault])).toEqual([
      ["t", false],
      ["u", true],
    ]);
    const described = given(granted(), granted({ id: "u" })).when({
      type: "DescribeToken",
      tokenId: "t",
      isDefault: true,
      now: NOW,
    });
    expect(described.state.tokens.get("u")?.isDefault).toBe(false);
  });

  it.each([
    ["fresh", { expiresAt: null, givenAt: NOW - HOUR_MS, canRefresh: false }],
    ["fresh", { expiresAt: null, givenAt: NOW - HOUR_MS / 4 + 1 }],
    ["due", { expiresAt: null, givenAt: NOW - HOUR_MS / 4 }],
    ["fresh", { expiresAt: NOW + 60_001 }],
    ["due", { expiresAt: NOW + 60_000 }],
    ["due", { expiresAt: NOW - HOUR_MS }],
    ["last", { expiresAt: NOW + 60_000, canRefresh: false }],
    ["dead", { expiresAt: NOW, canRefresh: false }],
  ] as const)("is %s when %o", (standing, change) => {
    expect(usabilityOf({ ...token, requestedScopes: [], givenAt: NOW, ...change }, NOW)).toBe(standing);
  });

  it("is lost when it expires, unless it can be refreshed", () => {
    const brief = granted({ canRefresh: false });
    given(brief).wakesAt(NOW + HOUR_MS);
    given(brief)
      .when({ type: "Wake", now: NOW + HOUR_MS })
      .then({ type: "TokenLost", tokenId: "t", cause: "expired", at: NOW + HOUR_MS });
    given(granted())
      .when({ type: "Wake", now: NOW + 2 * HOUR_MS })
      .thenNothing();
  });

  it("that was deleted cannot be refreshed, discarded, described or deleted", () => {
    const gone = given(granted(), { type: "TokenDeleted", tokenId: "t", revoked: true, at: NOW });
    gone.when({ type: "RecordRefresh", tokenId: "t", scopes: [], expiresAt: null, now: NOW }).thenNothing();
    gone.when({ type: "DiscardToken", tokenId: "t", now: NOW }).thenNothing();
    const unknown = { reason: "not_found", what: "token", id: "t" } as const;
    gone.when({ type: "DescribeToken", tokenId: "t", accountLabel: "x", now: NOW }).thenRefused(unknown);
    gone.when({ type: "DeleteToken", tokenId: "t", revoked: true, now: NOW }).thenRefused(unknown);
    expect(findToken(gone.state, "t")).toEqual({ ok: false, failure: unknown });
  });

  it("is chosen by its id, else the default one, else the newest, of those that have the scopes", () => {
    const wide = granted({ id: "wide", scopes: ["s", "more"], isDefault: false });
    const { state } = given(granted(), wide);
    const choose = (tokenId: string | null, scopes: readonly string[], now = NOW) =>
      matchingTokens(state, { tokenId, scopes }, now)[0]?.id ?? null;
    expect(choose(null, [])).toBe("t");
    expect(choose(null, ["more"])).toBe("wide");
    expect(choose(null, ["most"])).toBeNull();
    expect(choose("wide", [])).toBe("wide");
    expect(choose("other", [])).toBeNull();
  });

  it("matches the scopes that were requested, after tokens that were granted them", () => {
    const narrow = granted({ id: "narrow" });
    const wide = granted({ id: "wide", scopes: ["s", "more"], isDefault: false });
    const newer = granted({ id: "newer", scopes: ["s", "more"], isDefault: false });
    const fitting = (scopes: readonly string[], ...log: readonly GrantEvent[]) =>
      matchingTokens(given(asked, received, ...log).state, { tokenId: null, scopes }, NOW).map(({ id }) => id);
    expect(fitting(["s", "more"], narrow)).toEqual(["narrow"]);
    expect(fitting(["most"], narrow)).toEqual([]);
    expect(fitting(["more"], narrow, wide, newer)).toEqual(["newer", "wide", "narrow"]);
    expect(fitting([], narrow, wide, newer)).toEqual(["narrow", "newer", "wide"]);
  });

  it("is one of at most 20, where an open authorization counts until it expires", () => {
    const held = (count: number) => Array.from({ length: count }, (_, at) => granted({ id: `t${at}` }));
    const open = (count: number) => Array.from({ length: count }, (_, at) => begun(`a${at}`));
    for (const [tokens, authorizations, reason] of [
      [MAX_TOKENS, 0, "conflict"],
      [MAX_TOKENS - 1, 1, "capacity"],
      [0, MAX_TOKENS, "capacity"],
    ] as const) {
      given(...held(tokens), ...open(authorizations))
        .when(FURTHER)
        .thenRefused({ reason });
    }
    given(...held(MAX_TOKENS - 2), ...open(1))
      .when(FURTHER)
      .then(begun("further"));
    given(...held(MAX_TOKENS - 1), begun(), failed(EXPIRED))
      .when(FURTHER)
      .then(begun("further"));
  });
});

it("a repeated command changes nothing and the log folds to the same state, for commands in any order", () => {
  const id = fc.constantFrom("a", "b");
  const time = fc.integer({ min: 0, max: 2 * HOUR_MS }).map((ms) => NOW + ms);
  const command: fc.Arbitrary<GrantCommand> = fc.oneof(
    fc
      .record({ type: fc.constant("BeginAuthorization" as const), authId: id, now: time })
      .map((one) => ({ ...BEGIN, ...one })),
    fc.record({ type: fc.constant("ReceiveCode" as const), authId: id, now: time }),
    fc.record({
      type: fc.constant("FailAuthorization" as const),
      authId: id,
      failure: fc.constant(EXPIRED),
      now: time,
    }),
    fc.record({
      type: fc.constant("GrantToken" as const),
      authId: id,
      token: id.map((one) => ({ ...NEW, id: one })),
      now: time,
    }),
    fc.record({ type: fc.constant("DiscardToken" as const), tokenId: id, now: time }),
    fc.record({ type: fc.constant("DeleteToken" as const), tokenId: id, revoked: fc.boolean(), now: time }),
    fc.record({ type: fc.constant("Wake" as const), now: time }),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      let state = grant.initialState;
      const log: GrantEvent[] = [];
      for (const one of commands) {
        const events = eventsOf(grant.decide(one, state));
        log.push(...events);
        state = events.reduce(grant.evolve, state);
        expect(eventsOf(grant.decide(one, state))).toEqual([]);
        expect([...state.tokens.values()].filter((held) => held.isDefault).length).toBeLessThanOrEqual(1);
      }
      expect(log.reduce(grant.evolve, grant.initialState)).toEqual(state);
    }),
  );
});
