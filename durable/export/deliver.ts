import type { ExportMessage } from "../../src/domain/export/announce.ts";
import type { ExportPlan } from "../../src/domain/export/events.ts";
import { exportRun, workspace } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { ExportRunProtocol } from "../protocol/export-run.ts";
import type { WorkspaceProtocol } from "../protocol/workspace.ts";
import { releaseLateRows } from "./late-rows.ts";

/** Hands a message of an export to the actor it is for. */
export function deliverOfExport(env: Env, plan: ExportPlan, message: ExportMessage): Promise<void> {
  const { id, tenantId } = plan.definition;
  switch (message.to) {
    case "run":
      return deliverToRun(exportRun(env, id, message.ordinal), message);
    case "source":
      return releaseLateRows(env, plan, message.partition);
    case "workspace":
      return deliverToWorkspace(workspace(env, tenantId), id, message);
  }
}

function deliverToWorkspace(
  receiver: WorkspaceProtocol,
  exportId: string,
  message: Extract<ExportMessage, { to: "workspace" }>,
): Promise<void> {
  switch (message.kind) {
    case "report":
      return receiver.recordExportReport(exportId, message.seq, message.report);
    case "spawn":
      return receiver.spawnExport(message.definition);
  }
}

function deliverToRun(receiver: ExportRunProtocol, message: Extract<ExportMessage, { to: "run" }>): Promise<void> {
  switch (message.kind) {
    case "start":
      return receiver.start(message.spec);
    case "pause":
      return receiver.pause(message.order);
    case "resume":
      return receiver.resume(message.order);
    case "cancel":
      return receiver.cancel();
    case "stop":
      return receiver.stop(message.failure);
  }
}
