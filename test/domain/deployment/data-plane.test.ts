import { describe, expect, it } from "vitest";
import { NO_CONTENT } from "../../../src/domain/deployment/content.ts";
import { EDGE_STEP_MS } from "../../../src/domain/deployment/limits.ts";
import { planeNameOf, planeOf } from "../../../src/domain/deployment/planes.ts";
import type { DeploymentDefinition, Source } from "../../../src/domain/deployment/records.ts";
import type { Revision } from "../../../src/domain/deployment/state.ts";
import { deploymentDefinition, NOW } from "../../support/samples.ts";

const edge = deploymentDefinition;
const remote: DeploymentDefinition = { ...edge, source: "external_docker", listenerId: "l" };

const revision: Revision = {
  id: "1",
  content: NO_CONTENT,
  redeployOf: null,
  status: "AWAITING_DEPLOY",
  failure: null,
  bundle: null,
  leaseId: null,
  workUntil: NOW,
  interruptions: 0,
  url: null,
  createdAt: NOW,
  updatedAt: NOW,
};

describe("the data plane of a deployment", () => {
  it("follows from its source", () => {
    const names = (["internal_source", "external_docker", "github"] as const satisfies Source[]).map((source) =>
      planeNameOf({ ...edge, source }),
    );
    expect(names).toEqual(["edge", "remote", "remote"]);
  });

  it("begins work without a lease at the edge, and by a lease at a listener", () => {
    expect(planeOf(edge).begin(revision, NOW)).toMatchObject([
      { type: "RevisionMoved", to: "DEPLOYING" },
      { type: "WorkBegan", until: NOW + EDGE_STEP_MS },
    ]);
    expect(planeOf(edge).begin({ ...revision, status: "AWAITING_BUILD" }, NOW)[0]).toMatchObject({ to: "BUILDING" });
    expect(planeOf(remote).begin(revision, NOW)).toEqual([]);
  });

  it("times work out only at a listener", () => {
    const atWork: Revision = { ...revision, status: "DEPLOYING", workUntil: NOW + 1 };
    expect(planeOf(edge).interruption(atWork, NOW + EDGE_STEP_MS)).toBeNull();
    expect(planeOf(remote).interruption(atWork, NOW)).toBeNull();
    expect(planeOf(remote).interruption(atWork, NOW + 1)).toMatchObject({ reason: "lease_lost" });
    expect(planeOf(remote).interruption({ ...atWork, status: "DEPLOYED" }, NOW + 1)).toBeNull();
  });

  it("serves below this installation at the edge, and at the listener's address at a listener", () => {
    const active: Revision = { ...revision, status: "DEPLOYED", url: "http://10.0.0.1" };
    expect(planeOf(edge).urlOf(edge, active)).toBe("https://waybill.test/deployments/d");
    expect(planeOf(remote).urlOf(remote, active)).toBe("http://10.0.0.1");
    expect(planeOf(remote).urlOf(remote, { ...active, url: null })).toBeNull();
  });

  it("needs a listener only if it is remote", () => {
    expect(planeOf(edge).listenerOf(edge)).toBeNull();
    expect(planeOf(remote).listenerOf(remote)).toBe("l");
  });
});
