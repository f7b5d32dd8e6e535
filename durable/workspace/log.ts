import type { Decision } from "../../src/domain/shared/decider.ts";
import { announceWorkspace } from "../../src/domain/workspace/announce.ts";
import type { WorkspaceCommand, WorkspaceOrder } from "../../src/domain/workspace/commands.ts";
import type { WorkspaceEvent } from "../../src/domain/workspace/events.ts";
import { workspace } from "../../src/domain/workspace/index.ts";
import type { WorkspaceState } from "../../src/domain/workspace/state.ts";
import { readSettings } from "../../src/settings.ts";
import { ArrivalOrder } from "../concurrency/arrival-order.ts";
import { Journal } from "../journal/journal.ts";
import { TurnQueue } from "../journal/turn-queue.ts";
import type { Env } from "../protocol/env.ts";
import { deliverOfWorkspace } from "./deliver.ts";

/** The history of one tenant's workspace, and the delivery of what it makes due. */
export class WorkspaceLog {
  readonly env: Env;
  readonly tenantId: string;
  /** Of requests that bind projects to tables. */
  readonly bindings = new ArrivalOrder();
  readonly #journal;
  readonly #turns;

  constructor(ctx: DurableObjectState, env: Env) {
    this.env = env;
    this.tenantId = ctx.id.name?.split("/")[1] ?? "";
    this.#journal = new Journal(ctx.storage, {
      decider: workspace,
      announce: announceWorkspace,
      partitionKey: (message) => message.id,
      supersedes: () => false,
    });
    this.#turns = new TurnQueue<WorkspaceCommand, WorkspaceEvent>({
      journal: this.#journal,
      act: async () => {
        await this.deliverAll();
        return true;
      },
      recoveryAt: () => Date.now() + readSettings(env).limits.retryDelayMs,
    });
  }

  get state(): WorkspaceState {
    return this.#journal.state;
  }

  /** Decides and records. The alarm delivers what that makes due, unless `deliverAll` does so before. */
  submit(order: WorkspaceOrder): Decision<WorkspaceEvent> {
    return this.#journal.submit(this.#command(order));
  }

  /** Decides and records, and begins to deliver at once what that makes due. */
  begin(order: WorkspaceOrder): Decision<WorkspaceEvent> {
    return this.#turns.begin(this.#command(order));
  }

  /** Delivers every waiting message; false: some receivers could not be reached. */
  deliverAll(): Promise<boolean> {
    return this.#journal.flush((message) => deliverOfWorkspace(this.env, this.tenantId, message));
  }

  alarm(): Promise<void> {
    return this.#turns.alarm();
  }

  #command(order: WorkspaceOrder): WorkspaceCommand {
    return { ...order, tenantId: this.tenantId, now: Date.now() };
  }
}
