import type { RevisionFailure } from "../../../src/domain/deployment/records.ts";
import type { Agent } from "../../protocol/deployment.ts";
import type { Env } from "../../protocol/env.ts";
import type { PlainSecrets } from "../../protocol/listener.ts";
import { openText } from "../../secrets/vault.ts";

/** Sending the secrets again does not help: the agent's own key is sealed, too. */
export const SECRETS_LOST: RevisionFailure = {
  reason: "secrets_lost",
  message:
    "The secrets of the deployment cannot be opened. Restore the installation's master key, or create the deployment again.",
};

/**
 * The environment of an agent server: its secrets, which durable/worker/order-deployment.ts sealed, and the variables
 * for sending traces to this service. null: the master key is missing, and an agent must not start without its secrets.
 */
export async function environmentOf(env: Env, agent: Agent): Promise<PlainSecrets | null> {
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
