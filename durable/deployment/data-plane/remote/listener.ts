import { DurableObject } from "cloudflare:workers";
import { LISTENER_SILENT_MS } from "../../../../src/domain/deployment/limits.ts";
import { log } from "../../../../src/log.ts";
import { deployment } from "../../../protocol/actors.ts";
import type { Env } from "../../../protocol/env.ts";
import type { ListenerProtocol, Poll } from "../../../protocol/listener.ts";

/**
 * Where a listener is heard. It has no log: when somebody last polled is a fact of the moment, and an event for every
 * poll would outgrow everything that the log of a deployment says. It keeps two values:
 *
 * | key         | value                                              |
 * | deployments | ids of the deployments that name this listener     |
 * | heardAt     | epoch ms of the last poll                          |
 *
 * Each poll reaches every deployment, which hears by it that the listener is there. Its alarm is set for as long as a
 * deployment has to hear of its silence.
 */
export class ListenerActor extends DurableObject<Env> implements ListenerProtocol {
  async assign(deploymentId: string): Promise<void> {
    this.#keep([...new Set([...this.#deployments(), deploymentId])]);
  }

  async release(deploymentId: string): Promise<void> {
    this.#keep(this.#deployments().filter((id) => id !== deploymentId));
  }

  async poll(): Promise<Poll> {
    const heardAt = Date.now();
    this.ctx.storage.kv.put("heardAt", heardAt);
    this.#recheckRetention();
    const offers = await Promise.all(
      this.#deployments().map(async (id) => ({ id, offer: await this.#deployment(id).offer(this.#id(), heardAt) })),
    );
    this.#recheckRetention(); // the offers may have taken long, and what is given now will be reported
    // An assignment that came twice may have come late, behind the release.
    for (const { id, offer } of offers) if (offer === null) await this.release(id);
    return {
      work: offers.flatMap(({ offer }) => offer?.work ?? []),
      serving: offers.flatMap(({ id: deploymentId, offer }) => {
        const revisionId = offer?.servingRevisionId ?? null;
        return revisionId === null ? [] : [{ deploymentId, revisionId }];
      }),
    };
  }

  async heardAt(): Promise<number | null> {
    return this.ctx.storage.kv.get<number>("heardAt") ?? null;
  }

  /** Nobody polled for a while. */
  override async alarm(): Promise<void> {
    this.#recheckRetention();
    const heardAt = await this.heardAt();
    const silentAt = (heardAt ?? 0) + LISTENER_SILENT_MS;
    if (Date.now() < silentAt) return void this.ctx.storage.setAlarm(silentAt); // the alarm came twice
    try {
      const deployments = this.#deployments().map((id) => this.#deployment(id));
      const areAtWork = await Promise.all(deployments.map((one) => one.applySilence()));
      // Who is at work may say that it is done, and never poll again.
      if (areAtWork.includes(true) || heardAt !== (await this.heardAt())) return;
      void this.ctx.storage.deleteAlarm();
    } catch (error) {
      log("listener_silence_untold", { listener: this.ctx.id.name ?? null, error: String(error) });
    }
  }

  /** Should nobody poll until then. */
  #recheckRetention(): void {
    void this.ctx.storage.setAlarm(Date.now() + LISTENER_SILENT_MS);
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
