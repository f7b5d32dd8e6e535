import { describe, expect, it } from "vitest";
import { MAX_DEPLOYMENTS } from "../../../src/domain/deployment/limits.ts";
import type { DeploymentOrder } from "../../../src/domain/deployment/order.ts";
import type { DeploymentDefinition } from "../../../src/domain/deployment/records.ts";
import { announceFleet } from "../../../src/domain/fleet/announce.ts";
import type { FleetCommand } from "../../../src/domain/fleet/commands.ts";
import type { FleetEvent } from "../../../src/domain/fleet/events.ts";
import { fleet } from "../../../src/domain/fleet/index.ts";
import type { ListenerRecord } from "../../../src/domain/fleet/records.ts";
import { specification } from "../../support/given.ts";
import { deploymentDefinition, NOW } from "../../support/samples.ts";

const { given } = specification(fleet);

const orderOf = (id: string, name: string, more: Partial<DeploymentDefinition> = {}): DeploymentOrder => ({
  definition: { ...deploymentDefinition, id, name, ...more },
  key: { hash: "h", envelope: "e" },
  content: null,
  revisionId: `first of ${id}`,
});

const AT_LISTENER = { source: "external_docker", listenerId: "l" } as const;

const machine: ListenerRecord = { id: "l", computeId: "machine", k8sNamespaces: null, createdAt: NOW, updatedAt: NOW };

const register = (order: DeploymentOrder): FleetCommand => ({ type: "RegisterDeployment", order, now: NOW });
const registered = (order: DeploymentOrder): FleetEvent => ({ type: "DeploymentRegistered", order, at: NOW });
const remove = (id: string): FleetCommand => ({ type: "RemoveDeployment", id, now: NOW });
const removed = (id: string): FleetEvent => ({ type: "DeploymentRemoved", id, at: NOW });
const listenerCreated: FleetEvent = { type: "ListenerCreated", listener: machine, at: NOW };
const deleteListener: FleetCommand = { type: "DeleteListener", id: "l", now: NOW };

describe("a deployment", () => {
  it("is registered once, however often its order is repeated", () => {
    const order = orderOf("1", "agent");
    given().when(register(order)).then(registered(order));
    given(registered(order)).when(register(order)).thenNothing();
  });

  it("is refused a name that another one has, until that one is removed", () => {
    const [first, second] = [orderOf("1", "agent"), orderOf("2", "agent")];
    given(registered(first)).when(register(second)).thenRefused({
      reason: "conflict",
      message: "The deployment 1 has this name already; names are also those of tracing projects.",
    });
    given(registered(first), removed("1")).when(register(second)).then(registered(second));
  });

  it("is refused at a listener that is not known", () => {
    const order = orderOf("1", "agent", AT_LISTENER);
    given().when(register(order)).thenRefused({ reason: "not_found", what: "listener", id: "l" });
    given(listenerCreated).when(register(order)).then(registered(order));
  });

  it("is refused when the workspace has the maximum number of deployments", () => {
    const all = Array.from({ length: MAX_DEPLOYMENTS }, (_, i) => registered(orderOf(String(i), `agent ${i}`)));
    const another = orderOf("another", "another");
    given(...all)
      .when(register(another))
      .thenRefused({ reason: "conflict" });
    given(...all, removed("7"))
      .when(register(another))
      .then(registered(another));
  });

  it("is removed once", () => {
    given(registered(orderOf("1", "agent")))
      .when(remove("1"))
      .then(removed("1"));
    given().when(remove("1")).thenNothing();
  });

  it("is created by its own actor as soon as it is registered; nothing else is announced", () => {
    const order = orderOf("1", "agent");
    expect(announceFleet(registered(order))).toEqual([{ kind: "create", order }]);
    for (const event of [removed("1"), listenerCreated]) expect(announceFleet(event)).toEqual([]);
  });
});

describe("a listener", () => {
  it("is created once for each id", () => {
    const create: FleetCommand = { type: "CreateListener", listener: machine, now: NOW };
    given().when(create).then(listenerCreated);
    given(listenerCreated).when(create).thenRefused({
      reason: "conflict",
      message: "A listener for this workspace and the compute id machine already exists.",
    });
  });

  it("that is not known is neither changed nor deleted", () => {
    const unknown = { reason: "not_found", what: "listener", id: "l" } as const;
    given()
      .when({ type: "ChangeListener", id: "l", k8sNamespaces: ["a"], now: NOW })
      .thenRefused(unknown);
    given().when(deleteListener).thenRefused(unknown);
  });

  it("can get other namespaces", () => {
    const event: FleetEvent = { type: "ListenerChanged", id: "l", k8sNamespaces: ["a"], at: NOW + 1 };
    const { state } = given(listenerCreated)
      .when({ type: "ChangeListener", id: "l", k8sNamespaces: ["a"], now: NOW + 1 })
      .then(event);
    expect(state.listeners.get("l")).toEqual({ ...machine, k8sNamespaces: ["a"], updatedAt: NOW + 1 });
  });

  it("is deleted when no registered deployment runs at it", () => {
    const order = orderOf("1", "agent", AT_LISTENER);
    const deleted: FleetEvent = { type: "ListenerDeleted", id: "l", at: NOW };
    given(listenerCreated, registered(order))
      .when(deleteListener)
      .thenRefused({ reason: "conflict", message: "1 deployment(s) run at this listener. Delete them first." });
    given(listenerCreated, registered(order), removed("1")).when(deleteListener).then(deleted);
    given(listenerCreated, registered(orderOf("2", "at the edge")))
      .when(deleteListener)
      .then(deleted);
  });
});
