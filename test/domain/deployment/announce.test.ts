import { expect, it } from "vitest";
import { announceDeployment } from "../../../src/domain/deployment/announce.ts";
import type { DeploymentEvent } from "../../../src/domain/deployment/events.ts";
import { type DeploymentState, evolve, initialDeploymentState } from "../../../src/domain/deployment/state.ts";
import { deploymentDefinition, NOW } from "../../support/samples.ts";

const created: DeploymentEvent = {
  type: "DeploymentCreated",
  definition: deploymentDefinition,
  key: { hash: "h", envelope: "e" },
  draft: null,
  at: NOW,
};

/** The messages that the last event announces. */
const announced = (...events: readonly DeploymentEvent[]) => {
  const last = events.at(-1);
  const after = events.reduce<DeploymentState>(evolve, initialDeploymentState);
  return last === undefined ? [] : announceDeployment(last, after);
};

it("a new deployment gets its project and key, and its place in its data plane", () => {
  expect(announced(created)).toEqual([
    { to: "workspace", kind: "open_project", name: "agent", keyHash: "h" },
    { to: "data_plane", kind: "assign" },
  ]);
});

it("a deleted deployment frees its key, name and place, and its project only on request", () => {
  const ends = [
    { to: "fleet", kind: "remove" },
    { to: "data_plane", kind: "release" },
  ];
  const revoked = { to: "workspace", kind: "revoke_key", keyHash: "h" };
  expect(announced(created, { type: "DeploymentDeleted", withProject: false, at: NOW })).toEqual([revoked, ...ends]);
  expect(announced(created, { type: "DeploymentDeleted", withProject: true, at: NOW })).toEqual([
    revoked,
    { to: "workspace", kind: "delete_project", name: "agent" },
    ...ends,
  ]);
});

it("events of its revisions announce no message", () => {
  expect(announced(created, { type: "ProjectOpened", projectId: "p", at: NOW })).toEqual([]);
  expect(announced({ type: "DeploymentCleaned", at: NOW })).toEqual([]);
});
