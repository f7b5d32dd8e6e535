import { describe, expect, it } from "vitest";
import type { DeploymentRequest } from "../../../src/domain/deployment/commands.ts";
import { NO_CONTENT } from "../../../src/domain/deployment/content.ts";
import type { DeploymentEvent } from "../../../src/domain/deployment/events.ts";
import { deployment } from "../../../src/domain/deployment/index.ts";
import type { ReportedStatus } from "../../../src/domain/deployment/lease.ts";
import { EDGE_STEP_MS, LEASE_MS, MAX_REVISIONS } from "../../../src/domain/deployment/limits.ts";
import type { DeploymentDefinition, RevisionContent } from "../../../src/domain/deployment/records.ts";
import { MOVES, REVISION_STATUSES, type RevisionStatus } from "../../../src/domain/deployment/revision-status.ts";
import type { DeploymentState } from "../../../src/domain/deployment/state.ts";
import { fail, ok } from "../../../src/domain/shared/result.ts";
import { eventsOf } from "../../support/events-of.ts";
import { deploymentDefinition, NOW } from "../../support/samples.ts";

/** One test per move of the table, named after the move; commands cause it. */

const edge = deploymentDefinition;
const github: DeploymentDefinition = { ...edge, source: "github", listenerId: "l" };
const docker: DeploymentDefinition = { ...edge, source: "external_docker", listenerId: "l" };
const content: RevisionContent = { ...NO_CONTENT, configPath: "waybill.json", tarballPath: "uploads/x.tar.gz" };
const bundle = { key: "k", mainModule: "server.js", modules: 1, bytes: 1 };
const failure = { reason: "not_healthy", message: "it does not answer" } as const;

/** A command to the deployment of these tests. */
type Command = DeploymentRequest & { readonly now: number };

const decide = (command: Command, state: DeploymentState) =>
  deployment.decide({ ...command, deploymentId: edge.id }, state);

const eventsFrom = (command: Command, state: DeploymentState) => eventsOf(decide(command, state));

const createOf = (definition: DeploymentDefinition, revised: RevisionContent | null = null): Command => ({
  type: "Create",
  order: { definition, key: { hash: "h", envelope: "e" }, content: revised, revisionId: "first" },
  now: NOW,
});

/** Runs the commands and keeps every move, as `<from> -> <to>`. */
const lived = (definition: DeploymentDefinition, ...commands: readonly Command[]) => {
  let state: DeploymentState = deployment.initialState;
  const moves: string[] = [];
  const status = new Map<string, RevisionStatus>();
  const record = (event: DeploymentEvent) => {
    if (event.type === "RevisionAdded") status.set(event.revisionId, "CREATING");
    if (event.type !== "RevisionMoved") return;
    moves.push(`${status.get(event.revisionId)} -> ${event.to}`);
    status.set(event.revisionId, event.to);
  };
  for (const command of [createOf(definition), ...commands]) {
    const events = eventsFrom(command, state);
    for (const event of events) {
      record(event);
      state = deployment.evolve(state, event);
    }
  }
  return { moves, state, status };
};

const add = (revisionId: string): Command => ({ type: "Revise", revisionId, change: content, now: NOW });
const created = (revisionId: string): Command => ({
  type: "RecordCreated",
  revisionId,
  failure: null,
  now: NOW,
});
const wake = (now = NOW): Command => ({ type: "Wake", now });
const recover: Command = { type: "Recover", now: NOW };
const built: Command = { type: "RecordBuilt", revisionId: "1", bundle, now: NOW };
const healthy: Command = { type: "RecordHealthy", revisionId: "1", now: NOW };
const failed: Command = { type: "RecordFailure", revisionId: "1", failure, now: NOW };
const deleted: Command = { type: "Delete", withProject: false, now: NOW };
const lease = (leaseId = "x", now = NOW): Command => ({ type: "TakeLease", listenerId: "l", leaseId, now });
const report = (status: ReportedStatus, leaseId = "x", now = NOW): Command => ({
  type: "RecordListenerReport",
  listenerId: "l",
  report: { revisionId: "1", leaseId, status, reason: "because", url: "http://agent.test" },
  now,
});
const silent: Command = { type: "RecordListenerSilence", now: NOW };
const polled = (heardAt = NOW): Command => ({ type: "RecordPoll", heardAt, now: NOW + 1 });
const atDocker = [add("1"), created("1"), lease()];

/** The commands that lead to each move. */
const WAYS: Readonly<Record<string, readonly [DeploymentDefinition, ...Command[]]>> = {
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
  it("are thirteen, and the table of moves has each of them", () => {
    expect(REVISION_STATUSES).toHaveLength(13);
    expect(Object.keys(MOVES)).toEqual([...REVISION_STATUSES]);
  });
});

describe("a revision moves", () => {
  it.each(TABLE)("%s", (name) => {
    const way = WAYS[name];
    if (way === undefined) throw new Error("no commands are known that lead to this move");
    expect(lived(...way).moves).toContain(name);
  });

  it("only as the table allows, for random commands in any order", () => {
    for (const way of Object.values(WAYS)) for (const made of lived(...way).moves) expect(TABLE).toContain(made);
  });
});

describe("a deployment", () => {
  it("serves the last healthy revision, until the next one is healthy", () => {
    const one = [add("1"), created("1"), built, healthy];
    const next = [add("2"), created("2"), { type: "RecordBuilt", revisionId: "2", bundle, now: NOW }] as const;
    const failed = { type: "RecordFailure", revisionId: "2", failure, now: NOW } as const;
    expect(lived(edge, ...one, ...next).state).toMatchObject({ activeId: "1" });
    expect(lived(edge, ...one, ...next, failed).state).toMatchObject({ activeId: "1" });
    const well = { type: "RecordHealthy", revisionId: "2", now: NOW } as const;
    expect(lived(edge, ...one, ...next, well).state).toMatchObject({ activeId: "2" });
  });

  it("skips a queued revision that was overtaken, and finishes the one in progress", () => {
    const { status } = lived(edge, add("1"), created("1"), add("2"), created("2"), add("3"), created("3"));
    expect(Object.fromEntries(status)).toEqual({ "1": "BUILDING", "2": "SKIPPED", "3": "QUEUED" });
    const after = lived(edge, add("1"), created("1"), add("2"), created("2"), add("3"), created("3"), failed);
    expect(Object.fromEntries(after.status)).toEqual({ "1": "BUILD_FAILED", "2": "SKIPPED", "3": "BUILDING" });
  });

  it("fails a revision that was cut off three times", () => {
    const start = [add("1"), created("1")];
    expect(lived(edge, ...start, recover).status.get("1")).toBe("BUILDING");
    expect(lived(edge, ...start, recover, recover).status.get("1")).toBe("BUILDING");
    const dead = lived(edge, ...start, recover, recover, recover);
    expect(dead.status.get("1")).toBe("BUILD_FAILED");
    expect(dead.state).toMatchObject({ revisions: [{ failure: { reason: "process_died" } }] });
  });

  it("does not build a redeployed revision again", () => {
    const redeploy: Command = { type: "Redeploy", revisionId: "2", of: "1", now: NOW };
    const { moves } = lived(edge, add("1"), created("1"), built, healthy, redeploy, created("2"));
    expect(moves.slice(-3)).toEqual([
      "CREATING -> QUEUED",
      "QUEUED -> AWAITING_DEPLOY",
      "AWAITING_DEPLOY -> DEPLOYING",
    ]);
  });

  it("wakes when a step at the edge counts as cut off, and never when all revisions are final", () => {
    expect(deployment.wakeAt(lived(edge, add("1"), created("1")).state)).toBe(NOW + EDGE_STEP_MS);
    expect(deployment.wakeAt(lived(edge, add("1"), created("1"), built, healthy).state)).toBeNull();
    expect(deployment.wakeAt(lived(docker, ...atDocker).state)).toBe(NOW + LEASE_MS);
    expect(deployment.wakeAt(lived(docker, add("1"), created("1")).state)).toBeNull();
    expect(deployment.wakeAt(lived(edge, add("1"), deleted).state)).toBe(NOW);
    expect(deployment.wakeAt(lived(edge, add("1"), deleted, { type: "RecordCleaned", now: NOW }).state)).toBeNull();
  });

  it("refuses changes after it is deleted, and ignores results of earlier work", () => {
    const { state } = lived(edge, add("1"), created("1"), deleted);
    const redeploy: Command = { type: "Redeploy", revisionId: "2", of: "1", now: NOW };
    for (const command of [add("2"), redeploy, deleted, lease(), report("DEPLOYED")])
      expect(decide(command, state)).toEqual(fail({ reason: "not_found", what: "deployment", id: edge.id }));
    for (const command of [built, healthy, failed, wake(), recover, createOf(edge, content)])
      expect(decide(command, state)).toEqual(ok([]));
  });

  it("that was never created refuses changes, with the requested id in the error", () => {
    const { initialState } = deployment;
    for (const command of [add("1"), deleted, lease(), report("DEPLOYED")])
      expect(decide(command, initialState)).toEqual(fail({ reason: "not_found", what: "deployment", id: edge.id }));
    for (const command of [wake(), built, polled(), silent]) expect(decide(command, initialState)).toEqual(ok([]));
    expect(deployment.wakeAt(initialState)).toBeNull();
  });

  it("is created once with its first revision when its content can run, also if the order is repeated", () => {
    const [one, two, ...more] = eventsFrom(createOf(edge, content), deployment.initialState);
    expect([one, two]).toMatchObject([
      { type: "DeploymentCreated", draft: null },
      { type: "RevisionAdded", revisionId: "first", content },
    ]);
    expect(more).toEqual([]);
    const { state } = lived(edge, createOf(edge, content), createOf(edge, content));
    expect(state).toMatchObject({ revisions: [], draft: null }); // the first order had no content
  });

  it("keeps the content of its first revision until its source is uploaded", () => {
    const early = { ...content, tarballPath: null, allowNetwork: true };
    const [event, ...more] = eventsFrom(createOf(edge, early), deployment.initialState);
    if (event === undefined) throw new Error("it was created");
    expect(more).toEqual([]);
    const state = deployment.evolve(deployment.initialState, event);
    const revise = (change: Partial<RevisionContent>): Command => ({
      type: "Revise",
      revisionId: "1",
      change,
      now: NOW,
    });
    const loc = ["body", "source_revision_config", "source_tarball_path"];
    expect(decide(revise({ allowNetwork: false }), state)).toMatchObject(fail({ reason: "invalid", loc }));
    expect(eventsFrom(revise({ tarballPath: "uploads/x.tar.gz" }), state)).toMatchObject([
      { type: "RevisionAdded", content: { ...content, allowNetwork: true } },
    ]);
  });

  it("adds no revision for an empty change, nor for a revision that it has", () => {
    const { state } = lived(edge, add("1"));
    expect(decide({ type: "Revise", revisionId: "2", change: {}, now: NOW }, state)).toEqual(ok([]));
    expect(decide(add("1"), state)).toEqual(ok([]));
    expect(decide({ type: "Redeploy", revisionId: "1", of: "1", now: NOW }, state)).toEqual(ok([]));
  });

  it("builds a revision again only when its source has changed", () => {
    const { state } = lived(edge, add("1"), created("1"), built, healthy);
    const bundleAfter = (change: Partial<RevisionContent>) =>
      eventsFrom({ type: "Revise", revisionId: "2", change, now: NOW }, state).map((event) =>
        event.type === "RevisionAdded" ? event.bundle : event.type,
      );
    expect(bundleAfter({ allowNetwork: true })).toEqual([bundle]);
    expect(bundleAfter({ configPath: content.configPath })).toEqual([bundle]);
    expect(bundleAfter({ configPath: "other.json" })).toEqual([null]);
    expect(bundleAfter({ tarballPath: content.tarballPath })).toEqual([null]); // sent again, it may be another file
  });

  it("refuses to redeploy an unknown revision, and a revision above the limit", () => {
    const revisions = Array.from({ length: MAX_REVISIONS }, (_, ordinal) => add(String(ordinal)));
    const { state } = lived(docker, ...revisions);
    const redeploy = (of: string): Command => ({ type: "Redeploy", revisionId: "new", of, now: NOW });
    expect(decide(redeploy("none"), state)).toEqual(fail({ reason: "not_found", what: "revision", id: "none" }));
    expect(decide(redeploy("1"), state)).toMatchObject(fail({ reason: "conflict" }));
    expect(decide(add("new"), state)).toMatchObject(fail({ reason: "conflict" }));
  });
});

describe("a listener", () => {
  it("keeps its lease while it reports, and loses it when it is silent", () => {
    const { state } = lived(docker, ...atDocker);
    expect(decide(lease("y"), state)).toEqual(ok([]));
    const renewed = lived(docker, ...atDocker, report("DEPLOYING", "x", NOW + 30_000), wake(NOW + LEASE_MS));
    expect(renewed.status.get("1")).toBe("DEPLOYING");
    const lost = lived(docker, ...atDocker, wake(NOW + LEASE_MS), lease("y", NOW + LEASE_MS));
    expect(lost.status.get("1")).toBe("DEPLOYING");
    const late = decide(report("DEPLOYED", "x", NOW + LEASE_MS), lost.state);
    expect(late).toMatchObject(fail({ reason: "conflict", message: expect.stringContaining("The lease is lost") }));
    expect(eventsFrom(report("DEPLOYED", "y", NOW + LEASE_MS), lost.state)).toHaveLength(2);
  });

  it("gets no lease on a deployment that names another listener, and may not report on it", () => {
    const { state } = lived(docker, ...atDocker);
    const refused = fail({ reason: "not_found", what: "deployment", id: docker.id });
    expect(decide({ type: "TakeLease", listenerId: "other", leaseId: "y", now: NOW }, state)).toEqual(refused);
    expect(decide({ ...report("DEPLOYED"), listenerId: "other" } as Command, state)).toEqual(refused);
  });

  it("gets no lease on a deployment at the edge", () => {
    const { state } = lived(edge, add("1"), created("1"));
    const refused = fail({ reason: "not_found", what: "deployment", id: edge.id });
    expect(decide(lease(), state)).toEqual(refused);
    expect(decide(report("DEPLOYED"), state)).toEqual(refused);
    expect(decide(polled(), state)).toEqual(ok([]));
    expect(decide(silent, state)).toEqual(ok([]));
  });

  it("may repeat every report", () => {
    const { state } = lived(docker, ...atDocker, report("DEPLOYED"));
    expect(decide(report("DEPLOYED"), state)).toEqual(ok([]));
  });

  it("ends its silence by a poll, though not by an earlier poll that arrives late", () => {
    const { state } = lived(docker, ...atDocker, report("DEPLOYED"), silent);
    expect(decide(polled(NOW - 1), state)).toEqual(ok([]));
    expect(eventsFrom(polled(), state)).toMatchObject([{ type: "RevisionMoved", to: "DEPLOYED" }]);
    expect(decide(polled(), lived(docker, ...atDocker, report("DEPLOYED")).state)).toEqual(ok([]));
  });

  it("that loses its lease three times has failed, with its reason", () => {
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
