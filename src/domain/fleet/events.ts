import type { DeploymentOrder } from "../deployment/order.ts";
import type { ListenerRecord } from "./records.ts";

export type FleetEvent =
  /** The deployment has its name; its creation is retried until it succeeds. */
  | { readonly type: "DeploymentRegistered"; readonly order: DeploymentOrder; readonly at: number }
  | { readonly type: "DeploymentRemoved"; readonly id: string; readonly at: number }
  | { readonly type: "ListenerCreated"; readonly listener: ListenerRecord; readonly at: number }
  | {
      readonly type: "ListenerChanged";
      readonly id: string;
      readonly k8sNamespaces: readonly string[] | null;
      readonly at: number;
    }
  | { readonly type: "ListenerDeleted"; readonly id: string; readonly at: number };
