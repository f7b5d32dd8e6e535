import type { DestinationConfig } from "../destination/records.ts";
import type { ExportDefinition, ExportReport } from "../export/records.ts";
import type { TableBinding } from "../project/clickhouse-binding.ts";
import type { Project } from "../project/records.ts";
import { type BucketMap, emptyBucketMap, lookUp, put, remove } from "../shared/bucket-map.ts";
import type { ApiKey, WorkspaceEvent } from "./events.ts";
import type { Plan } from "./records.ts";

export interface KnownExport {
  readonly definition: ExportDefinition;
  /** Whether it was admitted; null for a schedule, which only spawns and takes no place. */
  readonly admitted: boolean | null;
  /** Number of its last report; -1 before the first. */
  readonly seq: number;
  readonly report: ExportReport;
}

export interface KnownDestination {
  readonly id: string;
  readonly config: DestinationConfig;
  readonly removed: boolean;
}

export interface OpenWorkspace {
  readonly status: "OPEN";
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly keys: BucketMap<ApiKey>;
  /**
   * By hash. They are never accepted again, although the call that adds a key may come after its revocation, and twice.
   * `unknown`: the workspace did not have the key when it was revoked.
   */
  readonly revokedKeys: BucketMap<"known" | "unknown">;
  readonly projects: BucketMap<Project>;
  readonly projectIdByName: BucketMap<string>;
  /** Their ids are never given out again, because their runs are still being deleted. */
  readonly deletedProjects: BucketMap<true>;
  /** By project: the customer's table from which it is read. */
  readonly bindings: BucketMap<TableBinding>;
  readonly destinations: BucketMap<KnownDestination>;
  readonly exports: BucketMap<KnownExport>;
  /** Exports that were admitted and have not ended. */
  readonly running: ReadonlySet<string>;
  /** Exports that wait for a free place, first in, first out. */
  readonly queue: readonly string[];
  /** Exports and schedules that have not ended. */
  readonly active: ReadonlySet<string>;
}

export type WorkspaceState = { readonly status: "NONE" } | OpenWorkspace;

export const initialWorkspaceState: WorkspaceState = { status: "NONE" };

/** Of an export that was registered and has not reported yet. */
const NO_REPORT = { status: "CREATED", rowsPlanned: 0, rowsWritten: 0, finishedAt: null, pausedAt: null } as const;

/** Records one event. */
export function evolve(state: WorkspaceState, event: WorkspaceEvent): WorkspaceState {
  if (event.type === "WorkspaceCreated")
    return {
      status: "OPEN",
      id: event.id,
      name: event.name,
      plan: event.plan,
      keys: emptyBucketMap(),
      revokedKeys: emptyBucketMap(),
      projects: emptyBucketMap(),
      projectIdByName: emptyBucketMap(),
      deletedProjects: emptyBucketMap(),
      bindings: emptyBucketMap(),
      destinations: emptyBucketMap(),
      exports: emptyBucketMap(),
      running: new Set(),
      queue: [],
      active: new Set(),
    };
  if (state.status === "NONE") return state;
  switch (event.type) {
    case "PlanChanged":
      return { ...state, plan: event.plan };
    case "KeyAdded":
      return { ...state, keys: put(state.keys, event.key.keyHash, event.key) };
    case "KeyRevoked": {
      const { keyHash } = event;
      const was = lookUp(state.keys, keyHash) === undefined ? "unknown" : "known";
      return { ...state, keys: remove(state.keys, keyHash), revokedKeys: put(state.revokedKeys, keyHash, was) };
    }
    case "ProjectCreated": {
      const { project } = event;
      return {
        ...state,
        projects: put(state.projects, project.id, project),
        projectIdByName: put(state.projectIdByName, project.name, project.id),
      };
    }
    case "ProjectChanged": {
      const { project } = event;
      const before = lookUp(state.projects, project.id);
      const others = before === undefined ? state.projectIdByName : remove(state.projectIdByName, before.name);
      return {
        ...state,
        projects: put(state.projects, project.id, project),
        projectIdByName: put(others, project.name, project.id),
      };
    }
    case "RetentionShortened":
      return state;
    case "ProjectDeleted": {
      const before = lookUp(state.projects, event.id);
      if (before === undefined) return state;
      return {
        ...state,
        projects: remove(state.projects, event.id),
        projectIdByName: remove(state.projectIdByName, before.name),
        deletedProjects: put(state.deletedProjects, event.id, true),
        bindings: remove(state.bindings, event.id),
      };
    }
    case "ProjectBound":
      return { ...state, bindings: put(state.bindings, event.id, event.binding) };
    case "ProjectUnbound":
      return { ...state, bindings: remove(state.bindings, event.id) };
    case "DestinationAdded": {
      const destination = { id: event.id, config: event.config, removed: false };
      return { ...state, destinations: put(state.destinations, event.id, destination) };
    }
    case "DestinationRemoved": {
      const known = lookUp(state.destinations, event.id);
      if (known === undefined) return state;
      return { ...state, destinations: put(state.destinations, event.id, { ...known, removed: true }) };
    }
    case "ExportRegistered": {
      const { definition } = event;
      const isSchedule = definition.intervalHours !== null;
      return {
        ...state,
        exports: put(state.exports, definition.id, {
          definition,
          admitted: isSchedule ? null : false,
          seq: -1,
          report: { ...NO_REPORT, updatedAt: event.at },
        }),
        active: new Set(state.active).add(definition.id),
        queue: isSchedule ? state.queue : [...state.queue, definition.id],
      };
    }
    case "ExportAdmitted": {
      const known = lookUp(state.exports, event.id);
      if (known === undefined) return state;
      return {
        ...state,
        exports: put(state.exports, event.id, { ...known, admitted: true }),
        running: new Set(state.running).add(event.id),
        queue: state.queue.filter((id) => id !== event.id),
      };
    }
    case "ExportReported": {
      const known = lookUp(state.exports, event.id);
      if (known === undefined) return state;
      const exports = put(state.exports, event.id, { ...known, seq: event.seq, report: event.report });
      if (event.report.finishedAt === null) return { ...state, exports };
      return {
        ...state,
        exports,
        running: without(state.running, event.id),
        active: without(state.active, event.id),
        queue: state.queue.filter((id) => id !== event.id),
      };
    }
  }
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const left = new Set(ids);
  left.delete(id);
  return left;
}
