import { DurableObject } from "cloudflare:workers";
import { findToken } from "../../src/domain/grant/decide.ts";
import type { Token } from "../../src/domain/grant/events.ts";
import { usabilityOf } from "../../src/domain/grant/token-choice.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import type { Env } from "../protocol/env.ts";
import type { Authentication, AuthorizationStatus, GrantProtocol } from "../protocol/oauth.ts";
import { beginAuthorization, finishAuthorization, statusOf } from "./authorization.ts";
import { GrantLog } from "./grant-log.ts";
import { Tokens } from "./tokens.ts";

/** One user's authorizations and tokens at one provider. It is a single instance, so concurrent requests refresh a token once. */
export class GrantActor extends DurableObject<Env> implements GrantProtocol {
  readonly #log = new GrantLog(this.ctx, this.env);
  readonly #tokens = new Tokens(this.#log);

  async authenticate(request: Parameters<GrantProtocol["authenticate"]>[0]): Promise<Result<Authentication, Refusal>> {
    const matching = request.forceNew ? [] : this.#tokens.matching(request);
    if (matching.length === 0 && request.tokenId !== null && !request.forceNew)
      return fail(unknownToken(request.tokenId));
    for (const id of matching) {
      const usable = await this.#tokens.use(id, request.provider);
      if (usable !== null) return usable.ok ? ok({ kind: "token", ...usable.value }) : usable;
    }
    return beginAuthorization(this.#log, request);
  }

  async token({ provider, tokenId }: Parameters<GrantProtocol["token"]>[0]): Promise<Result<string, Refusal>> {
    const [matching] = this.#tokens.matching({ tokenId, scopes: [] });
    const usable = matching === undefined ? null : await this.#tokens.use(matching, provider);
    if (usable === null) return fail(unknownToken(tokenId));
    return usable.ok ? ok(usable.value.accessToken) : usable;
  }

  async finish(back: Parameters<GrantProtocol["finish"]>[0]): Promise<Result<Token, Refusal>> {
    return finishAuthorization(this.#log, back);
  }

  async authorization(authId: string): Promise<AuthorizationStatus> {
    return statusOf(this.#log, authId);
  }

  async tokens(): Promise<readonly Token[]> {
    const now = Date.now();
    return [...this.#log.state.tokens.values()].filter((token) => usabilityOf(token, now) !== "dead");
  }

  async describe(change: Parameters<GrantProtocol["describe"]>[0]): Promise<Result<Token, Refusal>> {
    const described = this.#log.submit({ type: "DescribeToken", ...change, now: Date.now() });
    return described.ok ? findToken(this.#log.state, change.tokenId) : described;
  }

  async remove({ provider, tokenId }: Parameters<GrantProtocol["remove"]>[0]): Promise<Result<null, Refusal>> {
    return this.#tokens.remove(tokenId, provider);
  }

  override async alarm(): Promise<void> {
    this.#log.wake();
  }
}

const unknownToken = (id: string): Refusal => ({ reason: "not_found", what: "token", id });
