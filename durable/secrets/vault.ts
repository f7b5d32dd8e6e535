import type { Credentials } from "../../src/domain/destination/records.ts";
import type { Project } from "../../src/domain/project/records.ts";
import { type MasterKeys, openSecret, parseMasterKeys, sealSecret } from "../../src/secrets/envelope.ts";
import type { Env } from "../protocol/env.ts";

/** Sealing and opening of credentials. Plain credentials are in memory only, for the duration of a step. */

/** Seals a text; the envelope opens with the same context only. */
export const sealText = (env: Env, context: string, text: string): Promise<string> =>
  sealSecret(text, masterKeys(env), context);

/** null: sealed with another context, or its master key is no longer in the setting. */
export async function openText(env: Env, context: string, envelope: string): Promise<string | null> {
  const plain = await openSecret(envelope, masterKeys(env), context);
  return plain.ok ? plain.value : null;
}

/** Seals a destination's credentials; the envelope opens for that destination only. */
export const sealCredentials = (env: Env, destinationId: string, credentials: Credentials): Promise<string> =>
  sealText(env, destinationId, JSON.stringify(credentials));

/** null: the envelope belongs to another destination, or its master key is no longer in the setting. */
export async function openCredentials(env: Env, destinationId: string, envelope: string): Promise<Credentials | null> {
  const plain = await openText(env, destinationId, envelope);
  return plain === null ? null : (JSON.parse(plain) as Credentials); // sealed by sealCredentials, bound to this id
}

/** Seals the password of a table; the envelope opens for that project only. */
export const sealPassword = (env: Env, project: ProjectKey, password: string): Promise<string> =>
  sealText(env, contextOf(project), password);

/** null: sealed for another project, or its master key is no longer in the setting. */
export const openPassword = (env: Env, project: ProjectKey, envelope: string): Promise<string | null> =>
  openText(env, contextOf(project), envelope);

type ProjectKey = Pick<Project, "id" | "tenantId">;

const contextOf = ({ tenantId, id }: ProjectKey): string => `table/${tenantId}/${id}`;

function masterKeys(env: Env): MasterKeys {
  const keys = parseMasterKeys(env.MASTER_KEYS ?? "");
  if (!keys.ok) throw new Error(`Setting MASTER_KEYS: ${keys.failure.message}`);
  return keys.value;
}
