import type { AgentKey, DeploymentOrder } from "../../src/domain/deployment/order.ts";
import type {
  DeploymentDefinition,
  DeploymentRecord,
  RevisionContent,
  SealedSecrets,
} from "../../src/domain/deployment/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import { hashApiKey, newApiKey } from "../../src/secrets/api-key.ts";
import { deployment, fleet } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { PlainSecrets } from "../protocol/listener.ts";
import { sealText } from "../secrets/vault.ts";

/** Seals the secrets of deployments, so that no actor and no log contains them in plain text. */

/** The content of a new revision, as sent. */
export type SentContent = Omit<RevisionContent, "secrets"> & { readonly secrets: PlainSecrets };

/** Changes of the content; absent members stay as they are. */
export type SentChange = Partial<SentContent>;

const KEY_RANDOM_BYTES = 32;

/** Creates a deployment. `content` null, or without its source: it has no revision yet. */
export async function createDeployment(
  env: Env,
  definition: DeploymentDefinition,
  content: SentContent | null,
): Promise<Result<DeploymentRecord, Refusal>> {
  const order = await orderOf(env, definition, content);
  return fleet(env, definition.tenantId).createDeployment(order);
}

/** The order to create a deployment, with a key for its agents. */
export async function orderOf(
  env: Env,
  definition: DeploymentDefinition,
  content: SentContent | null,
): Promise<DeploymentOrder> {
  return {
    definition,
    key: await newAgentKey(env, definition),
    content: content && { ...content, secrets: await sealSecrets(env, definition.id, content.secrets) },
    revisionId: crypto.randomUUID(),
  };
}

/** Adds a revision like the latest one except for the change. */
export async function reviseDeployment(
  env: Env,
  { tenantId, deploymentId }: { readonly tenantId: string; readonly deploymentId: string },
  { secrets, ...change }: SentChange,
): Promise<Result<DeploymentRecord, Refusal>> {
  const sealed = secrets === undefined ? {} : { secrets: await sealSecrets(env, deploymentId, secrets) };
  return deployment(env, tenantId, deploymentId).revise({ ...change, ...sealed });
}

async function newAgentKey(env: Env, { id, tenantId }: DeploymentDefinition): Promise<AgentKey> {
  const plainKey = newApiKey(tenantId, crypto.getRandomValues(new Uint8Array(KEY_RANDOM_BYTES)));
  return { hash: await hashApiKey(plainKey), envelope: await sealText(env, id, plainKey) };
}

async function sealSecrets(env: Env, deploymentId: string, secrets: PlainSecrets): Promise<SealedSecrets> {
  const names = Object.keys(secrets);
  return { envelope: names.length === 0 ? null : await sealText(env, deploymentId, JSON.stringify(secrets)), names };
}
