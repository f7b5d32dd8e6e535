import type { DeploymentEvent } from "./events.ts";
import type { DeploymentState } from "./state.ts";

/** What a deployment makes due to others, at least once, in order. */
export type DeploymentMessage =
  | { readonly to: "workspace"; readonly kind: "open"; readonly name: string; readonly keyHash: string }
  | { readonly to: "workspace"; readonly kind: "close"; readonly keyHash: string }
  | { readonly to: "workspace"; readonly kind: "drop"; readonly name: string }
  | { readonly to: "fleet"; readonly kind: "unlist" }
  | { readonly to: "listener"; readonly kind: "assign" | "release"; readonly listenerId: string };

/**
 * A new deployment gets its tracing project, its key and its listener; a deleted one gives key, name and listener back.
 * A project that is to go with it goes after the key: until then the agents may still trace into it.
 */
export function announceDeployment(event: DeploymentEvent, after: DeploymentState): readonly DeploymentMessage[] {
  if (after.status === "NONE") return [];
  const { name, listenerId } = after.definition;
  const keyHash = after.key.hash;
  switch (event.type) {
    case "DeploymentCreated":
      return [{ to: "workspace", kind: "open", name, keyHash }, ...listenerMessage("assign", listenerId)];
    case "DeploymentDeleted":
      return [
        { to: "workspace", kind: "close", keyHash },
        ...(event.withProject ? [{ to: "workspace", kind: "drop", name } as const] : []),
        { to: "fleet", kind: "unlist" },
        ...listenerMessage("release", listenerId),
      ];
    case "DeploymentAbandoned":
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

const listenerMessage = (kind: "assign" | "release", listenerId: string | null): readonly DeploymentMessage[] =>
  listenerId === null ? [] : [{ to: "listener", kind, listenerId }];
