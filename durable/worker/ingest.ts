import type { Project } from "../../src/domain/project/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import { changeBytes, type Invalid, invalid, type RunChange } from "../../src/trace/run/change.ts";
import { dayOfChange, shardOf } from "../../src/trace/run/routing.ts";
import { traceShard, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { WorkspaceProtocol } from "../protocol/protocol.ts";
import type { Capacity, KnownDay } from "../protocol/shard.ts";

/** What became of the changes of one request. */
export interface IngestOutcome {
  /** Changes that are durable now. */
  readonly accepted: number;
  /** Why others are not, the first of them; empty: all are. A refused change does not stop its neighbours. */
  readonly refusals: readonly Refusal[];
  /** There was no room for all: the request is to be sent again as it is. What was taken of it is taken once. */
  readonly capacity: Capacity | null;
}

/** Refusals that are told; a hostile body may earn very many. */
const MAX_REFUSALS = 100;

/**
 * Shards, and projects, that one request may reach: each costs up to three requests of our own, of which the platform
 * allows 10,000 (reference: subrequests per invocation). Clients send some hundred runs of a few days at once.
 */
const MAX_PLACES = 1000;

const TOO_MANY_PLACES = invalid(
  ["body"],
  `one request may bring runs of at most ${MAX_PLACES} projects, and of as many days; send the others in further requests`,
  "too_large",
);

/** Bytes sent to one shard in one message; a larger single change goes alone (messages may have 32 MiB). */
const MESSAGE_BYTES = 4 * 1024 * 1024;

/** Bytes waiting for all shards together before the largest message leaves. */
const WAITING_BYTES = 8 * 1024 * 1024;

/** Messages on their way at once. */
const MESSAGES_IN_FLIGHT = 3;

/**
 * Brings the changes to the actors that keep them, and answers when all are durable. Memory is bounded by the
 * messages waiting and on their way. Throws when an actor cannot be reached; repeating the request is harmless.
 */
export async function ingestChanges(
  env: Env,
  tenantId: string,
  resolveProjects: WorkspaceProtocol["resolveProjects"],
  changes: AsyncIterable<Result<RunChange, Invalid>>,
): Promise<IngestOutcome> {
  const refusals: Refusal[] = [];
  const refuse = (refusal: Refusal): void => {
    if (refusals.length < MAX_REFUSALS) refusals.push(refusal);
  };
  const projectOf = projectLookup(resolveProjects);
  const messages = messagesTo(env, tenantId);
  let accepted = 0;
  for await (const read of changes) {
    if (!read.ok) {
      refuse(read.failure);
      continue;
    }
    const change = read.value;
    const project = change.project === null ? null : await projectOf(change.project);
    if (project !== null && !project.ok) {
      refuse(project.failure);
      continue;
    }
    if (await messages.add(change, project?.value ?? null)) accepted += 1;
    else refuse(TOO_MANY_PLACES.failure);
  }
  const capacity = await messages.finish();
  return { accepted: capacity === null ? accepted : 0, refusals, capacity };
}

type AskedProject = { readonly id: string } | { readonly name: string };

/** Asks for each project once. */
function projectLookup(resolveProjects: WorkspaceProtocol["resolveProjects"]) {
  const known = new Map<string, Result<Project, Refusal>>();
  return async (asked: AskedProject): Promise<Result<Project, Refusal>> => {
    const key = "id" in asked ? `id ${asked.id}` : `name ${asked.name}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size === MAX_PLACES) return TOO_MANY_PLACES;
    const [resolved] = await resolveProjects([asked]);
    if (resolved === undefined) throw new Error("a workspace did not answer for the project it was asked for");
    known.set(key, resolved);
    return resolved;
  };
}

/** Changes gathered for one actor. */
interface Lane {
  readonly send: (changes: readonly RunChange[]) => Promise<Capacity | null>;
  waiting: RunChange[];
  bytes: number;
  /** The end of its last message: messages of one lane keep their order. */
  sent: Promise<void>;
}

function messagesTo(env: Env, tenantId: string) {
  const lanes = new Map<string, Lane>();
  const inFlight = new Set<Promise<void>>();
  let waitingBytes = 0;
  let failed: { readonly fault: unknown } | null = null;
  let refused: Capacity | null = null;
  const lost = newLane(async (changes) => {
    const placed = await unrouted(env, tenantId).place(changes);
    return placed.ok ? null : placed.failure;
  });

  const dispatch = async (lane: Lane): Promise<void> => {
    if (lane.waiting.length === 0) return;
    while (inFlight.size >= MESSAGES_IN_FLIGHT) await Promise.race(inFlight);
    if (failed !== null) throw failed.fault;
    const changes = lane.waiting;
    waitingBytes -= lane.bytes;
    lane.waiting = [];
    lane.bytes = 0;
    if (refused !== null) return;
    const message = lane.sent
      .then(() => lane.send(changes))
      .then((capacity) => {
        refused ??= capacity;
      })
      .catch((fault: unknown) => {
        failed ??= { fault };
      })
      .finally(() => inFlight.delete(message));
    lane.sent = message;
    inFlight.add(message);
  };

  const settle = async (): Promise<void> => {
    await Promise.all(inFlight);
    if (failed !== null) throw failed.fault;
  };

  /** Null: the request has reached as many shards as it may. */
  const laneOf = (change: RunChange, project: Project | null): Lane | null => {
    // The times and the project of a feedback are hints from whoever gave it: only its run tells where it belongs.
    const day = change.kind === "feedback" ? null : dayOfChange(change);
    if (project === null || day === null) return lost;
    const shard = shardOf(change.id, project.shards);
    const key = `${project.id}/${day}/${shard}`;
    const known = lanes.get(key);
    if (known !== undefined) return known;
    if (lanes.size === MAX_PLACES) return null;
    const lane = newLane((batch) =>
      sendToShard(env, tenantId, { projectId: project.id, day, shards: project.shards }, shard, batch),
    );
    lanes.set(key, lane);
    return lane;
  };

  return {
    /** Answers whether the change is on its way. */
    async add(change: RunChange, project: Project | null): Promise<boolean> {
      const lane = laneOf(change, project);
      if (lane === null) return false;
      const bytes = changeBytes(change);
      if (lane.bytes + bytes > MESSAGE_BYTES) await this.leave(lane);
      lane.waiting.push(project === null ? change : { ...change, project: { id: project.id } });
      lane.bytes += bytes;
      waitingBytes += bytes;
      if (waitingBytes > WAITING_BYTES) await this.leave(largest([...lanes.values(), lost]));
      return true;
    },
    /** Strays leave after everything else has arrived: their runs may be among it. */
    async leave(lane: Lane): Promise<void> {
      if (lane === lost) {
        for (const other of lanes.values()) await dispatch(other);
        await settle();
      }
      await dispatch(lane);
    },
    /** Answers why something was not taken. Nothing is sent any more once that is known. */
    async finish(): Promise<Capacity | null> {
      await this.leave(lost);
      await settle();
      return refused;
    },
  };
}

async function sendToShard(
  env: Env,
  tenantId: string,
  known: KnownDay,
  shard: number,
  changes: readonly RunChange[],
): Promise<Capacity | null> {
  const actor = traceShard(env, { tenantId, projectId: known.projectId, day: known.day, shard });
  const taken = await actor.ingest(changes);
  if (!taken.ok) return taken.failure;
  const { note } = taken.value;
  if (note === null) return null;
  await unrouted(env, tenantId).noteDay(known);
  await actor.dayNoted(note);
  return null;
}

const newLane = (send: Lane["send"]): Lane => ({ send, waiting: [], bytes: 0, sent: Promise.resolve() });

const largest = (lanes: readonly Lane[]): Lane => lanes.reduce((most, lane) => (lane.bytes > most.bytes ? lane : most));
