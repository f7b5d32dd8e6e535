import type { Env } from "../../protocol/env.ts";
import type { SourceProject, TraceSource } from "../port/trace-source.ts";
import { findDaysInShards } from "./days.ts";
import { estimateShards } from "./estimate.ts";
import { findLateInShards, releaseInShards } from "./late-rows.ts";
import { snapshotForRun } from "./snapshot.ts";

/** The built-in trace store as a source: the trace shards of a project, one set per UTC day. */
export const builtInSource = (env: Env, project: SourceProject): TraceSource => ({
  snapshot: (question, staging) => snapshotForRun(env, project, question, staging),
  findDays: (question) => findDaysInShards(env, project, question),
  findLate: (question) => findLateInShards(env, project, question),
  releaseLate: (exportId, partition) => releaseInShards(env, project, exportId, partition),
  estimate: (question) => estimateShards(env, project, question),
});
