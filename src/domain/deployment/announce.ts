import type { DeploymentEvent } from "./events.ts";
import type { DeploymentState } from "./state.ts";

/** Messages of a deployment to other actors, delivered at least once, in order. */
export type DeploymentMessage =
  | { readonly to: "workspace"; readonly kind: "open_project"; readonly name: string; readonly keyHash: string }
  | { readonly to: "workspace"; readonly kind: "revoke_key"; readonly keyHash: string }
  | { readonly to: "workspace"; readonly kind: "delete_project"; readonly name: string }
  | { readonly to: "fleet"; readonly kind: "remove" }
  | { readonly to: "data_plane"; readonly kind: "assign" | "release" };

/**
 * A new deployment gets its tracing project, its key and its registration in its data plane; a deleted one releases
 * key, name and registration. Its project is deleted after the key is revoked: until then the agents may still send
 * traces to it.
 */
export function announceDeployment(event: DeploymentEvent, after: DeploymentState): readonly DeploymentMessage[] {
  if (after.status === "NONE") return [];
  const { name } = after.definition;
  const keyHash = after.key.hash;
  switch (event.type) {
    case "DeploymentCreated":
      return [
        { to: "workspace", kind: "open_project", name, keyHash },
        { to: "data_plane", kind: "assign" },
      ];
    case "DeploymentDeleted":
      return [
        { to: "workspace", kind: "revoke_key", keyHash },
        ...(event.withProject ? [{ to: "workspace", kind: "delete_project", name } as const] : []),
        { to: "fleet", kind: "remove" },
        { to: "data_plane", kind: "release" },
      ];
    case "ProjectOpened":
    case "RevisionAdded":
    case "RevisionMoved":
    case "WorkBegan":
    case "RevisionBuilt":
    case "LeaseTaken":
    case "LeaseRenewed":
    case "ServedAt":
    case "DeploymentCleaned":
      return [];
  }
}
