import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { agentWorker, EDGE_MISSING, type OwnExports } from "../deployment/edge-plane.ts";
import { deployment } from "../protocol/actors.ts";
import type { Serving } from "../protocol/deployment.ts";
import type { Env } from "../protocol/env.ts";

/** Why a request did not reach an agent, or was not answered by it. */
export type ServeFailure =
  | { readonly reason: "unknown_deployment" }
  | { readonly reason: "not_serving"; readonly message: string }
  | { readonly reason: "agent_failed"; readonly message: string };

/**
 * Hands a request to the revision that serves at this moment. Who serves is asked anew for each request, so that a
 * switch needs nobody to wait: a request goes to the revision before or to the one after.
 */
export async function serveAgent(
  env: Env,
  exports: OwnExports,
  { tenantId, deploymentId }: { readonly tenantId: string; readonly deploymentId: string },
  request: Request,
): Promise<Result<Response, ServeFailure>> {
  const serving = await deployment(env, tenantId, deploymentId).serving();
  if (serving === null) return fail({ reason: "unknown_deployment" });
  if (serving.kind !== "edge") return fail({ reason: "not_serving", message: absence(serving) });
  const worker = agentWorker(env, exports, serving.agent);
  if (worker === null) return fail({ reason: "not_serving", message: EDGE_MISSING });
  try {
    return ok(await worker.fetch(request));
  } catch {
    // What it threw is for its owner, and the caller may be somebody else.
    const message = `Revision ${serving.agent.revisionId} failed while it answered; its own code threw an error, or could not be loaded.`;
    return fail({ reason: "agent_failed", message });
  }
}

function absence(serving: Exclude<Serving, { kind: "edge" }>): string {
  if (serving.kind === "nothing") return `No revision serves yet; the latest one is ${serving.latest}.`;
  if (serving.url === null) return "A listener runs this deployment; ask there.";
  return `A listener serves this deployment, at ${serving.url}.`;
}
