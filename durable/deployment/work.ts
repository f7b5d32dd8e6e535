import { workOf } from "../../src/domain/deployment/view.ts";
import { log } from "../../src/log.ts";
import type { OwnExports } from "./data-plane/data-plane.ts";
import type { DeploymentLog } from "./data-plane/deployment-log.ts";
import { planeOf } from "./planes.ts";

/**
 * Does all work on a deployment that is ours, one unit after the other. Only the alarm calls it. Two alarms never run
 * concurrently, so unfinished work at the start was interrupted.
 */
export async function doWork({ env, state, submit }: DeploymentLog, exports: OwnExports): Promise<void> {
  submit({ type: "Recover" });
  submit({ type: "Wake" });
  for (;;) {
    const now = state();
    const work = workOf(now);
    if (work === null || now.status === "NONE") return;
    const { id } = now.definition;
    const outcome = await planeOf(now.definition).perform({ env, exports }, work);
    if (outcome === null) return; // the work is not ours
    submit(outcome);
    log("deployment_step", { deployment: id, step: work.kind });
  }
}
