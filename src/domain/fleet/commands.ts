import type { DeploymentOrder } from "../deployment/order.ts";
import type { ListenerRecord } from "./records.ts";

/** Commands to a fleet. `now`: the clock of its actor, in epoch milliseconds. */
export type FleetCommand =
  | { readonly type: "RegisterDeployment"; readonly order: DeploymentOrder; readonly now: number }
  /** The deployment was deleted. */
  | { readonly type: "RemoveDeployment"; readonly id: string; readonly now: number }
  | { readonly type: "CreateListener"; readonly listener: ListenerRecord; readonly now: number }
  | {
      readonly type: "ChangeListener";
      readonly id: string;
      readonly k8sNamespaces: readonly string[] | null;
      readonly now: number;
    }
  | { readonly type: "DeleteListener"; readonly id: string; readonly now: number };
