import { DurableObject } from "cloudflare:workers";
import { LISTENER_SILENT_MS } from "../../../../src/domain/deployment/limits.ts";
import { log } from "../../../../src/log.ts";
import { deployment } from "../../../protocol/actors.ts";
import type { Env } from "../../../protocol/env.ts";
import type { ListenerProtocol, Poll } from "../../../protocol/listener.ts";

/**
 * One listener: hands its polls to its deployments, and tells them when it is silent. It has no log, because an event
 * for every poll would be longer than the logs of all deployments. It keeps two values:
 *
 * | key         | value                                          |
 * | deployments | ids of the deployments that name this listener |
 * | heardAt     | epoch ms of the last poll                      |
 *
 * Its alarm is set while a deployment may still have to learn of its silence.
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
    this.#watchSilence();
    const offers = await Promise.all(
      this.#deployments().map(async (id) => ({ id, offer: await this.#deployment(id).offer(this.#id(), heardAt) })),
    );
    this.#watchSilence(); // the offers may have taken long
    // An assignment is delivered at least once, so a late copy may arrive after the release.
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

  /** Fires after LISTENER_SILENT_MS without a poll. */
  override async alarm(): Promise<void> {
    this.#watchSilence();
    const heardAt = await this.heardAt();
    const silentAt = (heardAt ?? 0) + LISTENER_SILENT_MS;
    if (Date.now() < silentAt) return void this.ctx.storage.setAlarm(silentAt); // the alarm came twice, or a poll came meanwhile
    try {
      const deployments = this.#deployments().map((id) => this.#deployment(id));
      const areAtWork = await Promise.all(deployments.map((one) => one.applySilence()));
      // A process at work may still report without polling again. Its revision must then become UNKNOWN too.
      if (areAtWork.includes(true) || heardAt !== (await this.heardAt())) return;
      void this.ctx.storage.deleteAlarm();
    } catch (error) {
      log("listener_silence_not_told", { listener: this.ctx.id.name ?? null, error: String(error) });
    }
  }

  /** Sets the alarm for the case that there is no further poll. */
  #watchSilence(): void {
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
