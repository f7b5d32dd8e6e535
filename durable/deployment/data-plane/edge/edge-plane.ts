import type { DeploymentRequest } from "../../../../src/domain/deployment/commands.ts";
import type { Work } from "../../../../src/domain/deployment/view.ts";
import { fail, ok } from "../../../../src/domain/shared/result.ts";
import { agentOf } from "../agent.ts";
import type { DataPlane, Place } from "../data-plane.ts";
import { build, missingSource, removeBundles } from "./agent-store.ts";
import { healthFailure } from "./health.ts";
import { agentWorker, EDGE_MISSING } from "./load-agent.ts";

/** The data plane of this installation: each revision is a Worker in its own isolate, loaded by the Worker Loader. */
export const edgePlane: DataPlane = {
  perform,

  // No registration is needed: each request reads the active revision from the deployment itself.
  assign: async () => {},
  release: async () => {},

  async serve(place, agent, request) {
    const worker = agentWorker(place, agent);
    if (worker === null) return fail({ reason: "not_serving", message: EDGE_MISSING });
    try {
      return ok(await worker.fetch(request));
    } catch {
      // The error is for the agent's owner, and the caller may be another party.
      const message = `Revision ${agent.revisionId} failed while it answered; its own code threw an error, or could not be loaded.`;
      return fail({ reason: "agent_failed", message });
    }
  },
};

async function perform(place: Place, work: Work): Promise<DeploymentRequest> {
  const { env } = place;
  if (work.kind === "clean") {
    await removeBundles(env, work.definition);
    return { type: "RecordCleaned" };
  }
  const { deployment, revision } = work;
  const { id: revisionId, content } = revision;
  switch (work.kind) {
    case "create": {
      const isBuilt = revision.bundle !== null;
      const failure = isBuilt ? null : await missingSource(env, deployment.definition, content);
      return { type: "RecordCreated", revisionId, failure };
    }
    case "build": {
      const built = await build(env, deployment.definition, revisionId, content);
      return built.ok
        ? { type: "RecordBuilt", revisionId, bundle: built.value }
        : { type: "RecordFailure", revisionId, failure: built.failure };
    }
    case "check": {
      const failure = await healthFailure(place, agentOf(deployment, revision));
      return failure === null ? { type: "RecordHealthy", revisionId } : { type: "RecordFailure", revisionId, failure };
    }
  }
}
