import type { Refusal } from "../shared/failures.ts";
import { MAX_REVISIONS } from "./limits.ts";
import type { DeploymentDefinition, RevisionContent } from "./records.ts";
import type { ActiveDeployment } from "./state.ts";

/** What a new revision runs, and whether it can. */

/** Nothing to run yet. */
export const NO_CONTENT: RevisionContent = {
  repoRef: null,
  configPath: null,
  imageUri: null,
  tarballPath: null,
  allowNetwork: false,
  installCommand: null,
  buildCommand: null,
  resourceSpec: null,
  secrets: { envelope: null, names: [] },
};

/** What the latest revision runs; before the first one, what waits for its source, and null where nothing does. */
export const latestContent = ({ revisions, draft }: ActiveDeployment): RevisionContent | null =>
  revisions.at(-1)?.content ?? draft;

/** The latest content but for the change. */
export const revisedContent = (state: ActiveDeployment, change: Partial<RevisionContent>): RevisionContent => ({
  ...(latestContent(state) ?? NO_CONTENT),
  ...change,
});

/** Why it cannot run: a first revision brings its source, whether at creation or later; null when it can. */
export function refuseContent({ source }: DeploymentDefinition, content: RevisionContent): Refusal | null {
  if (source !== "internal_source") return null;
  const missing = content.tarballPath === null ? "source_tarball_path" : "langgraph_config_path";
  if (content.tarballPath !== null && content.configPath !== null) return null;
  const loc = ["body", "source_revision_config", missing];
  return { reason: "invalid", loc, message: "Field required", type: "missing" };
}

/** Why there is no room for another revision; null when there is. */
export function refuseCrowd({ revisions }: ActiveDeployment): Refusal | null {
  if (revisions.length < MAX_REVISIONS) return null;
  const message = `The deployment has ${MAX_REVISIONS} revisions, which is the most; create another one.`;
  return { reason: "conflict", message };
}
