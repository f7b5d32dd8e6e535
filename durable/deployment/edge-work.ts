import type { DeploymentCommand } from "../../src/domain/deployment/commands.ts";
import type { EdgeWork } from "../../src/domain/deployment/view.ts";
import type { Env } from "../protocol/env.ts";
import { agentOf } from "./agent-environment.ts";
import { build, missingSource, removeBundles } from "./agent-store.ts";
import { healthFailure, type OwnExports } from "./edge-plane.ts";

/** Does one piece of the edge's work; answers what has come of it. Done twice, it is as done once. */
export async function perform(env: Env, exports: OwnExports, work: EdgeWork): Promise<DeploymentCommand> {
  if (work.kind === "clean") {
    await removeBundles(env, work.definition);
    return { type: "RecordCleaned", now: Date.now() };
  }
  const { deployment, revision } = work;
  const { id: revisionId, content } = revision;
  switch (work.kind) {
    case "create": {
      const isBuilt = revision.bundle !== null;
      const failure = isBuilt ? null : await missingSource(env, deployment.definition, content);
      return { type: "RecordCreated", revisionId, failure, now: Date.now() };
    }
    case "build": {
      const built = await build(env, deployment.definition, revisionId, content);
      const now = Date.now();
      if (!built.ok) return { type: "RecordFailure", revisionId, failure: built.failure, now };
      return { type: "RecordBuilt", revisionId, bundle: built.value, now };
    }
    case "check": {
      const failure = await healthFailure(env, exports, agentOf(deployment, revision));
      const now = Date.now();
      if (failure !== null) return { type: "RecordFailure", revisionId, failure, now };
      return { type: "RecordHealthy", revisionId, now };
    }
  }
}
