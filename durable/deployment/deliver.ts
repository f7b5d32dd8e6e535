import type { DeploymentMessage } from "../../src/domain/deployment/announce.ts";
import type { DeploymentRequest } from "../../src/domain/deployment/commands.ts";
import type { DeploymentState } from "../../src/domain/deployment/state.ts";
import { ANY_PROJECT } from "../../src/domain/workspace/project-query.ts";
import { fleet, workspace } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { WorkspaceProtocol } from "../protocol/workspace.ts";
import { planeOf } from "./planes.ts";

type Known = Exclude<DeploymentState, { status: "NONE" }>;

type ToWorkspace = Extract<DeploymentMessage, { to: "workspace" }>;

/** Delivers a message of a deployment to its receiver. Answers a request for the deployment to record; null: none. */
export async function deliverOfDeployment(
  env: Env,
  state: Known,
  message: DeploymentMessage,
): Promise<DeploymentRequest | null> {
  const { definition } = state;
  const { id, tenantId } = definition;
  switch (message.to) {
    case "workspace":
      return deliverToWorkspace(workspace(env, tenantId), state, message);
    case "fleet":
      await fleet(env, tenantId).removeDeployment(id);
      return null;
    case "data_plane":
      await planeOf(definition)[message.kind](env, definition);
      return null;
  }
}

async function deliverToWorkspace(
  home: WorkspaceProtocol,
  { status, definition, projectId }: Known,
  message: ToWorkspace,
): Promise<DeploymentRequest | null> {
  switch (message.kind) {
    case "open_project": {
      if (status === "DELETED") return null; // deleted before it was opened: it needs neither project nor key
      const { name, keyHash } = message;
      // The key has its own user, so the agent reaches no user's tokens.
      const userId = `deployment-${definition.id}`;
      const key = { keyHash, label: `deployment ${name}`, role: "ingest", userId } as const;
      const project = await home.openProject({ name, key });
      return project.ok ? { type: "RecordProject", projectId: project.value.id } : null;
    }
    case "revoke_key":
      await home.revokeKey(message.keyHash);
      return null;
    case "delete_project": {
      const id = projectId ?? (await projectNamed(home, message.name));
      if (id !== null) await home.deleteProject(id);
      return null;
    }
  }
}

/** null: there is no such project. */
const projectNamed = async (home: WorkspaceProtocol, name: string): Promise<string | null> => {
  const [named] = await home.listProjects({ ...ANY_PROJECT, name, offset: 0, limit: 1 });
  return named?.id ?? null;
};
