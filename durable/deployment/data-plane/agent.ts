import { planeNameOf } from "../../../src/domain/deployment/planes.ts";
import { type ActiveDeployment, activeOf, type Revision } from "../../../src/domain/deployment/state.ts";
import type { Agent, Serving } from "../../protocol/deployment.ts";

/** A revision in the form that a data plane runs. */
export const agentOf = ({ definition, key }: ActiveDeployment, revision: Revision): Agent => ({
  tenantId: definition.tenantId,
  deploymentId: definition.id,
  revisionId: revision.id,
  name: definition.name,
  endpoint: definition.endpoint,
  allowNetwork: revision.content.allowNetwork,
  bundleKey: revision.bundle?.key ?? "",
  url: revision.url,
  secretsEnvelope: revision.content.secrets.envelope,
  keyEnvelope: key.envelope,
});

/** The active revision of the deployment, in its data plane. */
export function servingOf(state: ActiveDeployment): Serving {
  const active = activeOf(state);
  if (active === null) return { kind: "nothing", latest: state.revisions.at(-1)?.status ?? "none" };
  return { kind: planeNameOf(state.definition), agent: agentOf(state, active) };
}
