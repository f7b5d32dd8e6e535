import type { DeploymentOrder } from "../deployment/order.ts";
import type { FleetEvent } from "./events.ts";

/** To the actor of the deployment, delivered at least once. */
export interface FleetMessage {
  readonly kind: "create";
  readonly order: DeploymentOrder;
}

/** A registered deployment is created, by its own actor. */
export function announceFleet(event: FleetEvent): readonly FleetMessage[] {
  switch (event.type) {
    case "DeploymentRegistered":
      return [{ kind: "create", order: event.order }];
    case "DeploymentRemoved":
    case "ListenerCreated":
    case "ListenerChanged":
    case "ListenerDeleted":
      return [];
  }
}
