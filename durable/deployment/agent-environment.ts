import type { RevisionFailure } from "../../src/domain/deployment/records.ts";
import type { ActiveDeployment, Revision } from "../../src/domain/deployment/state.ts";
import type { Agent, PlainSecrets } from "../protocol/deployment.ts";
import type { Env } from "../protocol/env.ts";
import { openText, sealText } from "../secrets/vault.ts";

/** What an agent server finds in its environment: its secrets, and how to send traces here. */

export const agentOf = ({ definition, key }: ActiveDeployment, revision: Revision): Agent => ({
  tenantId: definition.tenantId,
  deploymentId: definition.id,
  revisionId: revision.id,
  name: definition.name,
  endpoint: definition.endpoint,
  allowNetwork: revision.content.allowNetwork,
  bundleKey: revision.bundle?.key ?? "",
  secretsEnvelope: revision.content.secrets.envelope,
  keyEnvelope: key.envelope,
});

/** Secrets of a deployment, sealed; null: there are none. */
export async function sealSecrets(env: Env, deploymentId: string, secrets: PlainSecrets): Promise<string | null> {
  return Object.keys(secrets).length === 0 ? null : sealText(env, deploymentId, JSON.stringify(secrets));
}

/** Sending the secrets again does not help: the agent's own key is sealed too. */
export const SECRETS_LOST: RevisionFailure = {
  reason: "secrets_lost",
  message: "The secrets of the deployment cannot be opened. Restore the installation's master key, or create it anew.",
};

/** null: the master key is gone, and an agent without its secrets must not start. */
export async function environmentOf(
  env: Env,
  agent: Omit<Agent, "bundleKey" | "allowNetwork" | "tenantId">,
): Promise<PlainSecrets | null> {
  const { deploymentId, secretsEnvelope } = agent;
  const secrets = secretsEnvelope === null ? "{}" : await openText(env, deploymentId, secretsEnvelope);
  const key = await openText(env, deploymentId, agent.keyEnvelope);
  if (secrets === null || key === null) return null;
  return {
    ...JSON.parse(secrets),
    LANGSMITH_TRACING: "true",
    LANGSMITH_ENDPOINT: agent.endpoint,
    LANGSMITH_API_KEY: key,
    LANGSMITH_PROJECT: agent.name,
    LANGSMITH_DEPLOYMENT_NAME: agent.name,
    LANGSMITH_HOST_PROJECT_ID: deploymentId,
    LANGSMITH_HOST_REVISION_ID: agent.revisionId,
  };
}
