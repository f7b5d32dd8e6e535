import { describe, expect, it } from "vitest";
import type { DeploymentCommand, ReportedStatus } from "../../../src/domain/deployment/commands.ts";
import { NO_CONTENT } from "../../../src/domain/deployment/content.ts";
import type { DeploymentEvent } from "../../../src/domain/deployment/events.ts";
import { deployment } from "../../../src/domain/deployment/index.ts";
import { EDGE_STEP_MS, LEASE_MS } from "../../../src/domain/deployment/limits.ts";
import type { DeploymentDefinition, RevisionContent } from "../../../src/domain/deployment/records.ts";
import { MOVES, REVISION_STATUSES, type RevisionStatus } from "../../../src/domain/deployment/revision-status.ts";
import { eventsOf } from "../../support/events-of.ts";
import { deploymentDefinition, NOW } from "../../support/samples.ts";

/** Every move of the table is made here by commands alone, in a test of its name. */

const edge = deploymentDefinition;
const github: DeploymentDefinition = { ...edge, source: "github", listenerId: "l" };
const docker: DeploymentDefinition = { ...edge, source: "external_docker", listenerId: "l" };
const content: RevisionContent = { ...NO_CONTENT, configPath: "waybill.json", tarballPath: "uploads/x.tar.gz" };
const bundle = { key: "k", mainModule: "server.js", modules: 1, bytes: 1 };
const failure = { reason: "not_healthy", message: "it is ill" } as const;

/** Lives through commands and keeps every move, as `<revision>: <from> -> <to>`. */
const lived = (definition: DeploymentDefinition, ...commands: readonly DeploymentCommand[]) => {
  const create: DeploymentCommand = {
    type: "Create",
    definition,
    key: { hash: "h", envelope: "e" },
    draft: null,
    now: NOW,
  };
  let state = deployment.initialState;
  const moves: string[] = [];
  const status = new Map<string, RevisionStatus>();
  const record = (event: DeploymentEvent) => {
    if (event.type === "RevisionAdded") status.set(event.revisionId, "CREATING");
    if (event.type !== "RevisionMoved") return;
    moves.push(`${status.get(event.revisionId)} -> ${event.to}`);
    status.set(event.revisionId, event.to);
  };
  for (const command of [create, ...commands]) {
    const events = eventsOf(deployment.decide(command, state));
    for (const event of events) {
      record(event);
      state = deployment.evolve(state, event);
    }
  }
  return { moves, state, status };
};

const add = (revisionId: string): DeploymentCommand => ({
  type: "AddRevision",
  revisionId,
  content,
  redeployOf: null,
  sameSourceAs: null,
  now: NOW,
});
const created = (revisionId: string): DeploymentCommand => ({
  type: "RecordCreated",
  revisionId,
  failure: null,
  now: NOW,
});
const wake = (now = NOW): DeploymentCommand => ({ type: "Wake", now });
const recover: DeploymentCommand = { type: "Recover", now: NOW };
const built: DeploymentCommand = { type: "RecordBuilt", revisionId: "1", bundle, now: NOW };
const healthy: DeploymentCommand = { type: "RecordHealthy", revisionId: "1", now: NOW };
const failed: DeploymentCommand = { type: "RecordFailure", revisionId: "1", failure, now: NOW };
const deleted: DeploymentCommand = { type: "Delete", withProject: false, now: NOW };
const lease = (leaseId = "x", now = NOW): DeploymentCommand => ({ type: "TakeLease", listenerId: "l", leaseId, now });
const report = (status: ReportedStatus, leaseId = "x", now = NOW): DeploymentCommand => ({
  type: "RecordListenerReport",
  report: { revisionId: "1", leaseId, status, reason: "because", url: "http://agent.test" },
  now,
});
const silent: DeploymentCommand = { type: "RecordListenerSilence", now: NOW };
const polled = (heardAt = NOW): DeploymentCommand => ({ type: "RecordPoll", heardAt, now: NOW + 1 });
const atDocker = [add("1"), created("1"), lease()];

/** How each move comes about; the last of the moves made is the one named. */
const WAYS: Readonly<Record<string, readonly [DeploymentDefinition, ...DeploymentCommand[]]>> = {
  "CREATING -> QUEUED": [docker, add("0"), created("0"), lease(), add("1"), created("1")],
  "CREATING -> CREATE_FAILED": [edge, add("1"), { type: "RecordCreated", revisionId: "1", failure, now: NOW }],
  "CREATING -> INTERRUPTED": [edge, add("1"), deleted],
  "QUEUED -> AWAITING_BUILD": [github, add("1"), created("1")],
  "QUEUED -> AWAITING_DEPLOY": [docker, add("1"), created("1")],
  "QUEUED -> SKIPPED": [docker, add("0"), created("0"), lease(), add("1"), created("1"), add("2"), created("2")],
  "QUEUED -> INTERRUPTED": [docker, add("0"), created("0"), lease(), add("1"), created("1"), deleted],
  "AWAITING_BUILD -> BUILDING": [edge, add("1"), created("1")],
  "AWAITING_BUILD -> SKIPPED": [github, add("1"), created("1"), add("2"), created("2")],
  "AWAITING_BUILD -> INTERRUPTED": [github, add("1"), created("1"), deleted],
  "BUILDING -> AWAITING_DEPLOY": [edge, add("1"), created("1"), built],
  "BUILDING -> BUILD_FAILED": [edge, add("1"), created("1"), failed],
  "BUILDING -> INTERRUPTED": [edge, add("1"), created("1"), recover],
  "AWAITING_DEPLOY -> DEPLOYING": [edge, add("1"), created("1"), built],
  "AWAITING_DEPLOY -> SKIPPED": [docker, add("1"), created("1"), add("2"), created("2")],
  "AWAITING_DEPLOY -> INTERRUPTED": [docker, add("1"), created("1"), deleted],
  "DEPLOYING -> DEPLOYED": [edge, add("1"), created("1"), built, healthy],
  "DEPLOYING -> DEPLOY_FAILED": [edge, add("1"), created("1"), built, failed],
  "DEPLOYING -> INTERRUPTED": [docker, ...atDocker, wake(NOW + LEASE_MS)],
  "DEPLOYED -> UNKNOWN": [docker, ...atDocker, report("DEPLOYED"), silent],
  "INTERRUPTED -> QUEUED": [docker, ...atDocker, wake(NOW + LEASE_MS)],
  "INTERRUPTED -> SKIPPED": [docker, ...atDocker, add("2"), created("2"), wake(NOW + LEASE_MS)],
  "UNKNOWN -> DEPLOYED": [docker, ...atDocker, report("DEPLOYED"), silent, polled()],
};

const TABLE = Object.entries(MOVES).flatMap(([from, all]) => all.map((to) => `${from} -> ${to}`));

describe("the statuses of a revision", () => {
  it("are thirteen, and each has its moves", () => {
    expect(REVISION_STATUSES).toHaveLength(13);
    expect(Object.keys(MOVES)).toEqual([...REVISION_STATUSES]);
  });
});

describe("a revision moves", () => {
  it.each(TABLE)("%s", (name) => {
    const way = WAYS[name];
    if (way === undefined) throw new Error("no way is known to make this move");
    expect(lived(...way).moves).toContain(name);
  });

  it("by no other way than those in the table, whatever is asked in whatever order", () => {
    for (const way of Object.values(WAYS)) for (const made of lived(...way).moves) expect(TABLE).toContain(made);
  });
});

describe("a deployment", () => {
  it("serves the last healthy revision, until the next one is healthy", () => {
    const one = [add("1"), created("1"), built, healthy];
    const next = [add("2"), created("2"), { type: "RecordBuilt", revisionId: "2", bundle, now: NOW }] as const;
    const ill = { type: "RecordFailure", revisionId: "2", failure, now: NOW } as const;
    expect(lived(edge, ...one, ...next).state).toMatchObject({ activeId: "1" });
    expect(lived(edge, ...one, ...next, ill).state).toMatchObject({ activeId: "1" });
    const well = { type: "RecordHealthy", revisionId: "2", now: NOW } as const;
    expect(lived(edge, ...one, ...next, well).state).toMatchObject({ activeId: "2" });
  });

  it("skips what was overtaken while queued, and lets what is at work come to its end", () => {
    const { status } = lived(edge, add("1"), created("1"), add("2"), created("2"), add("3"), created("3"));
    expect(Object.fromEntries(status)).toEqual({ "1": "BUILDING", "2": "SKIPPED", "3": "QUEUED" });
    const after = lived(edge, add("1"), created("1"), add("2"), created("2"), add("3"), created("3"), failed);
    expect(Object.fromEntries(after.status)).toEqual({ "1": "BUILD_FAILED", "2": "SKIPPED", "3": "BUILDING" });
  });

  it("fails what was cut off three times", () => {
    const start = [add("1"), created("1")];
    expect(lived(edge, ...start, recover).status.get("1")).toBe("BUILDING");
    expect(lived(edge, ...start, recover, recover).status.get("1")).toBe("BUILDING");
    const dead = lived(edge, ...start, recover, recover, recover);
    expect(dead.status.get("1")).toBe("BUILD_FAILED");
    expect(dead.state).toMatchObject({ revisions: [{ failure: { reason: "process_died" } }] });
  });

  it("does not build again what a redeployed revision has built", () => {
    const redeploy: DeploymentCommand = {
      type: "AddRevision",
      revisionId: "2",
      content,
      redeployOf: "1",
      sameSourceAs: "1",
      now: NOW,
    };
    const { moves } = lived(edge, add("1"), created("1"), built, healthy, redeploy, created("2"));
    expect(moves.slice(-3)).toEqual([
      "CREATING -> QUEUED",
      "QUEUED -> AWAITING_DEPLOY",
      "AWAITING_DEPLOY -> DEPLOYING",
    ]);
  });

  it("wakes when a step at the edge counts as cut off, and rests when all has come to an end", () => {
    expect(deployment.wakeAt(lived(edge, add("1"), created("1")).state)).toBe(NOW + EDGE_STEP_MS);
    expect(deployment.wakeAt(lived(edge, add("1"), created("1"), built, healthy).state)).toBeNull();
    expect(deployment.wakeAt(lived(docker, ...atDocker).state)).toBe(NOW + LEASE_MS);
    expect(deployment.wakeAt(lived(docker, add("1"), created("1")).state)).toBeNull();
    expect(deployment.wakeAt(lived(edge, add("1"), deleted).state)).toBe(NOW);
    expect(deployment.wakeAt(lived(edge, add("1"), deleted, { type: "RecordCleaned", now: NOW }).state)).toBeNull();
  });

  it("takes nothing back once it is deleted", () => {
    const { state } = lived(edge, add("1"), created("1"), deleted);
    for (const command of [add("2"), built, healthy, failed, wake(), recover])
      expect(eventsOf(deployment.decide(command, state))).toEqual([]);
  });
});

describe("a deployment that was never made", () => {
  const forgone = lived(docker, { type: "Abandon", now: NOW });

  it("is not made any more once its name went to another one", () => {
    const forgo: DeploymentCommand = { type: "Abandon", now: NOW };
    const [event, ...more] = eventsOf(deployment.decide(forgo, deployment.initialState));
    if (event === undefined) throw new Error("it was forgone");
    expect(more).toEqual([]);
    const state = deployment.evolve(deployment.initialState, event);
    const create: DeploymentCommand = {
      type: "Create",
      definition: docker,
      key: { hash: "h", envelope: "e" },
      draft: null,
      now: NOW,
    };
    for (const command of [create, add("1"), forgo, deleted])
      expect(eventsOf(deployment.decide(command, state))).toEqual([]);
    expect(deployment.wakeAt(state)).toBeNull();
  });

  it("is another one than one that is there, which stays", () => {
    expect(forgone.state).toMatchObject({ status: "ACTIVE" });
  });
});

describe("a listener", () => {
  it("has a revision to itself while it reports, and loses it by its silence", () => {
    const { state } = lived(docker, ...atDocker);
    expect(eventsOf(deployment.decide(lease("y"), state))).toEqual([]);
    const renewed = lived(docker, ...atDocker, report("DEPLOYING", "x", NOW + 30_000), wake(NOW + LEASE_MS));
    expect(renewed.status.get("1")).toBe("DEPLOYING");
    const lost = lived(docker, ...atDocker, wake(NOW + LEASE_MS), lease("y", NOW + LEASE_MS));
    expect(lost.status.get("1")).toBe("DEPLOYING");
    expect(eventsOf(deployment.decide(report("DEPLOYED", "x", NOW + LEASE_MS), lost.state))).toEqual([]);
    expect(eventsOf(deployment.decide(report("DEPLOYED", "y", NOW + LEASE_MS), lost.state))).toHaveLength(2);
  });

  it("that has another deployment's place gets nothing", () => {
    const { state } = lived(docker, add("1"), created("1"));
    expect(
      eventsOf(deployment.decide({ type: "TakeLease", listenerId: "other", leaseId: "x", now: NOW }, state)),
    ).toEqual([]);
  });

  it("may say everything twice", () => {
    const { state } = lived(docker, ...atDocker, report("DEPLOYED"));
    expect(eventsOf(deployment.decide(report("DEPLOYED"), state))).toEqual([]);
  });

  it("that was silent is there again by a poll, though not by one of before that comes late", () => {
    const { state } = lived(docker, ...atDocker, report("DEPLOYED"), silent);
    expect(eventsOf(deployment.decide(polled(NOW - 1), state))).toEqual([]);
    expect(eventsOf(deployment.decide(polled(), state))).toMatchObject([{ type: "RevisionMoved", to: "DEPLOYED" }]);
    expect(eventsOf(deployment.decide(polled(), lived(docker, ...atDocker, report("DEPLOYED")).state))).toEqual([]);
  });

  it("that is lost three times has failed, with its reason", () => {
    const later = (n: number) => NOW + n * LEASE_MS;
    const { state } = lived(
      docker,
      ...atDocker,
      wake(later(1)),
      lease("y", later(1)),
      wake(later(2)),
      lease("z", later(2)),
      wake(later(3)),
    );
    expect(state).toMatchObject({ revisions: [{ status: "DEPLOY_FAILED", failure: { reason: "lease_lost" } }] });
  });
});
