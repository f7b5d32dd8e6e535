import type { Project } from "../../src/domain/project/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { ok, type Result } from "../../src/domain/shared/result.ts";
import { changeBytes, type Invalid, invalid, type RunChange } from "../../src/trace/run/change.ts";
import { dayOfChange, shardOf } from "../../src/trace/run/routing.ts";
import { runTooLarge } from "../../src/trace/run/run-size.ts";
import { traceShard, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { Capacity } from "../protocol/shard.ts";
import type { KnownDay } from "../protocol/unrouted.ts";
import type { WorkspaceProtocol } from "../protocol/workspace.ts";

/** Result of one ingest request. */
export interface IngestOutcome {
  /** Changes that are durable now. */
  readonly accepted: number;
  /** Why changes were refused, the first ones; empty: none was. A refused change does not affect the others. */
  readonly refusals: readonly Refusal[];
  /** Capacity was short: the client must send the whole request again. Changes stored twice count once. */
  readonly capacity: Capacity | null;
}

/** Most refusals answered; a hostile body may cause many. */
const MAX_REFUSALS = 100;

/**
 * Most shards, and most projects, of one request. Each costs up to three subrequests, of which the platform allows 10,000
 * per invocation (Cloudflare: Workers limits). Clients send some hundred runs of a few days at once.
 */
const MAX_SHARDS = 1000;

const TOO_MANY_SHARDS = invalid(
  ["body"],
  `one request may hold runs of at most ${MAX_SHARDS} projects and ${MAX_SHARDS} days; send the others in further requests`,
  "too_large",
);

/** Bytes sent to one shard in one message; a larger change goes alone (the platform allows 32 MiB). */
const MESSAGE_BYTES = 4 * 1024 * 1024;

/** Bytes queued for all shards together before the largest message is sent. */
const QUEUED_BYTES = 8 * 1024 * 1024;

/** Messages sent concurrently. */
const MESSAGES_IN_FLIGHT = 3;

/**
 * Sends the changes to the actors that store them and answers when all are durable. Memory is bounded by the queued and
 * in-flight messages. Throws when an actor cannot be reached; the request can be repeated safely.
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
  let accepted = 0;
  const messages = messagesTo(env, tenantId, (change) => {
    accepted -= 1;
    refuse(runTooLarge(change));
  });
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
    else refuse(TOO_MANY_SHARDS.failure);
  }
  const capacity = await messages.finish();
  return { accepted: capacity === null ? accepted : 0, refusals, capacity };
}

type ProjectQuery = { readonly id: string } | { readonly name: string };

/** Resolves each project once. */
function projectLookup(resolveProjects: WorkspaceProtocol["resolveProjects"]) {
  const known = new Map<string, Result<Project, Refusal>>();
  return async (query: ProjectQuery): Promise<Result<Project, Refusal>> => {
    const key = "id" in query ? `id ${query.id}` : `name ${query.name}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size === MAX_SHARDS) return TOO_MANY_SHARDS;
    const [resolved] = await resolveProjects([query]);
    if (resolved === undefined) throw new Error("a workspace did not answer for the project it must resolve");
    known.set(key, resolved);
    return resolved;
  };
}

/** The ordinals of the changes that their runs have no room for; the others are durable. */
type Sent = Result<readonly number[], Capacity>;

/** Changes queued for one actor. */
interface Lane {
  readonly send: (changes: readonly RunChange[]) => Promise<Sent>;
  queued: RunChange[];
  bytes: number;
  /** Settles with its last message: messages of a lane keep their order. */
  sent: Promise<void>;
}

function messagesTo(env: Env, tenantId: string, refuseTooLarge: (change: RunChange) => void) {
  const lanes = new Map<string, Lane>();
  const inFlight = new Set<Promise<void>>();
  let queuedBytes = 0;
  let failed: { readonly fault: unknown } | null = null;
  let refused: Capacity | null = null;
  const unroutedLane = newLane(async (changes) => {
    const routed = await unrouted(env, tenantId).route(changes);
    return routed.ok ? ok(routed.value.tooLarge) : routed;
  });

  const dispatch = async (lane: Lane): Promise<void> => {
    if (lane.queued.length === 0) return;
    while (inFlight.size >= MESSAGES_IN_FLIGHT) await Promise.race(inFlight);
    if (failed !== null) throw failed.fault;
    const changes = lane.queued;
    queuedBytes -= lane.bytes;
    lane.queued = [];
    lane.bytes = 0;
    if (refused !== null) return;
    const message = lane.sent
      .then(() => lane.send(changes))
      .then((sent) => {
        if (!sent.ok) refused ??= sent.failure;
        else for (const ordinal of sent.value) refuseTooLarge(changes[ordinal] as RunChange); // one of those sent
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

  /** null: the request reaches too many shards. */
  const laneOf = (change: RunChange, project: Project | null): Lane | null => {
    // Times and project of feedback are only hints: its run decides where it is stored.
    const day = change.kind === "feedback" ? null : dayOfChange(change);
    if (project === null || day === null) return unroutedLane;
    const shard = shardOf(change.id, project.shards);
    const key = `${project.id}/${day}/${shard}`;
    const known = lanes.get(key);
    if (known !== undefined) return known;
    if (lanes.size === MAX_SHARDS) return null;
    const lane = newLane((batch) =>
      sendToShard(env, tenantId, { projectId: project.id, day, shards: project.shards }, shard, batch),
    );
    lanes.set(key, lane);
    return lane;
  };

  return {
    /** false: the change was refused. */
    async add(change: RunChange, project: Project | null): Promise<boolean> {
      const lane = laneOf(change, project);
      if (lane === null) return false;
      const bytes = changeBytes(change);
      if (lane.bytes + bytes > MESSAGE_BYTES) await this.flush(lane);
      lane.queued.push(project === null ? change : { ...change, project: { id: project.id } });
      lane.bytes += bytes;
      queuedBytes += bytes;
      if (queuedBytes > QUEUED_BYTES) await this.flush(largest([...lanes.values(), unroutedLane]));
      return true;
    },
    /** Unrouted changes are sent after all others were stored: their runs may be among them. */
    async flush(lane: Lane): Promise<void> {
      if (lane === unroutedLane) {
        for (const other of lanes.values()) await dispatch(other);
        await settle();
      }
      await dispatch(lane);
    },
    /** Answers the refusal of an actor, if any. Nothing is sent after the first refusal. */
    async finish(): Promise<Capacity | null> {
      await this.flush(unroutedLane);
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
): Promise<Sent> {
  const actor = traceShard(env, { tenantId, projectId: known.projectId, day: known.day, shard });
  const taken = await actor.ingest(changes);
  if (!taken.ok) return taken;
  const { registrationToken, tooLarge } = taken.value;
  if (registrationToken === null) return ok(tooLarge);
  await unrouted(env, tenantId).registerDay(known);
  await actor.confirmDayRegistration(registrationToken);
  return ok(tooLarge);
}

const newLane = (send: Lane["send"]): Lane => ({ send, queued: [], bytes: 0, sent: Promise.resolve() });

const largest = (lanes: readonly Lane[]): Lane => lanes.reduce((max, lane) => (lane.bytes > max.bytes ? lane : max));
