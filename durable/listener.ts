import { DurableObject } from "cloudflare:workers";
import { LISTENER_SILENT_MS } from "../src/domain/deployment/limits.ts";
import { deployment } from "./actors.ts";
import type { ListenerProtocol, Poll } from "./deployment-protocol.ts";
import type { Env } from "./env.ts";

/**
 * Where a listener is heard. It has no log: when somebody last polled is a fact of the moment, and an event for every
 * poll would outgrow everything that the log of a deployment says. It keeps three values:
 *
 * | key         | value                                              |
 * | deployments | ids of the deployments that name this listener     |
 * | heardAt     | epoch ms of the last poll                          |
 * | isSilent    | whether the deployments were told of its silence   |
 */
export class ListenerActor extends DurableObject<Env> implements ListenerProtocol {
  async assign(deploymentId: string): Promise<void> {
    this.#keep([...new Set([...this.#deployments(), deploymentId])]);
  }

  async release(deploymentId: string): Promise<void> {
    this.#keep(this.#deployments().filter((id) => id !== deploymentId));
  }

  async poll(): Promise<Poll> {
    this.ctx.storage.kv.put("heardAt", Date.now());
    void this.ctx.storage.setAlarm(Date.now() + LISTENER_SILENT_MS);
    if (this.ctx.storage.kv.get("isSilent") === true) await this.#tell(false);
    const ids = this.#deployments();
    const offers = await Promise.all(ids.map((id) => this.#deployment(id).offer(this.#id())));
    return {
      work: offers.flatMap(({ work }) => work ?? []),
      serving: offers.flatMap(({ servingRevisionId: revisionId }, at) => {
        const deploymentId = ids[at];
        return revisionId === null || deploymentId === undefined ? [] : [{ deploymentId, revisionId }];
      }),
    };
  }

  async heardAt(): Promise<number | null> {
    return this.ctx.storage.kv.get<number>("heardAt") ?? null;
  }

  /** Nobody polled for a while. */
  override async alarm(): Promise<void> {
    void this.ctx.storage.setAlarm(Date.now() + LISTENER_SILENT_MS);
    await this.#tell(true);
    void this.ctx.storage.deleteAlarm();
  }

  /** Remembered only when all have heard it, so that those who have not hear it the next time. */
  async #tell(isSilent: boolean): Promise<void> {
    await Promise.all(this.#deployments().map((id) => this.#deployment(id).hearListener(isSilent)));
    this.ctx.storage.kv.put("isSilent", isSilent);
  }

  #keep(ids: readonly string[]): void {
    this.ctx.storage.kv.put("deployments", ids);
  }

  #deployments(): readonly string[] {
    return this.ctx.storage.kv.get<readonly string[]>("deployments") ?? [];
  }

  #deployment(id: string) {
    return deployment(this.env, this.#name()[1] ?? "", id);
  }

  #id(): string {
    return this.#name()[2] ?? "";
  }

  /** `listener/<tenantId>/<id>` */
  #name(): readonly string[] {
    return this.ctx.id.name?.split("/") ?? [];
  }
}
