import { fail, type Result } from "../../src/domain/shared/result.ts";
import type { Place, ServeFailure } from "../deployment/data-plane/data-plane.ts";
import { PLANES } from "../deployment/planes.ts";
import { deployment } from "../protocol/actors.ts";

/**
 * Forwards a request to the active revision. The active revision is read for each request, so that a switch interrupts
 * none: each goes to the old revision or to the new one.
 */
export async function serveAgent(
  place: Place,
  { tenantId, deploymentId }: { readonly tenantId: string; readonly deploymentId: string },
  request: Request,
): Promise<Result<Response, ServeFailure | { readonly reason: "unknown_deployment" }>> {
  const serving = await deployment(place.env, tenantId, deploymentId).serving();
  if (serving === null) return fail({ reason: "unknown_deployment" });
  if (serving.kind !== "nothing") return PLANES[serving.kind].serve(place, serving.agent, request);
  return fail({ reason: "not_serving", message: `No revision serves yet; the latest one is ${serving.latest}.` });
}
