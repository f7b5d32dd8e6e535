import type { DeploymentRequest } from "../../../../src/domain/deployment/commands.ts";
import type { Work } from "../../../../src/domain/deployment/view.ts";
import { fail } from "../../../../src/domain/shared/result.ts";
import { listener } from "../../../protocol/actors.ts";
import type { DataPlane } from "../data-plane.ts";

/** A listener at the customer's site: it polls this service for work and serves its agents itself. */
export const remotePlane: DataPlane = {
  perform: async (_, work) => requestOf(work),

  async assign(env, { id, tenantId, listenerId }) {
    if (listenerId !== null) await listener(env, tenantId, listenerId).assign(id);
  },

  async release(env, { id, tenantId, listenerId }) {
    if (listenerId !== null) await listener(env, tenantId, listenerId).release(id);
  },

  async serve(_, { url }) {
    const message =
      url === null ? "A listener runs this deployment; ask there." : `A listener serves this deployment, at ${url}.`;
    return fail({ reason: "not_serving", message });
  },
};

/** The listener checks the source itself, and this service stores nothing that must be deleted. */
function requestOf(work: Work): DeploymentRequest | null {
  switch (work.kind) {
    case "create":
      return { type: "RecordCreated", revisionId: work.revision.id, failure: null };
    case "clean":
      return { type: "RecordCleaned" };
    case "build":
    case "check":
      return null; // the listener's work, under its lease
  }
}
