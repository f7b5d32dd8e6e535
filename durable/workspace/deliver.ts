import type { WorkspaceMessage } from "../../src/domain/workspace/announce.ts";
import { bulkExport, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";

/** Hands a message of the tenant's workspace to the actor it is for. */
export async function deliverOfWorkspace(env: Env, tenantId: string, message: WorkspaceMessage): Promise<void> {
  const receiver = bulkExport(env, message.id);
  switch (message.kind) {
    case "create":
      return receiver.create(message.order);
    case "admit":
      return receiver.admit();
    case "window_ended":
      return receiver.recordWindowEnded(message.exportId);
    case "fail_for_deleted_project":
      return receiver.failForDeletedProject();
    case "erase_project":
      return unrouted(env, tenantId).eraseProject(message.id);
    case "shorten_retention":
      return unrouted(env, tenantId).shortenRetention(message.id);
  }
}
