import type { Refusal } from "../shared/failures.ts";
import { MAX_REVISIONS } from "./limits.ts";
import type { Bundle, DeploymentDefinition, RevisionContent } from "./records.ts";
import type { ActiveDeployment } from "./state.ts";

/** The content of an empty revision. */
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

/** The content of the latest revision, or of the draft while it waits for its source; null: there is neither. */
export const latestContent = ({ revisions, draft }: ActiveDeployment): RevisionContent | null =>
  revisions.at(-1)?.content ?? draft;

/** The content of the next revision, and the bundle of the latest one if the source is the same. */
export function reviseContent(
  state: ActiveDeployment,
  change: Partial<RevisionContent>,
): { readonly content: RevisionContent; readonly bundle: Bundle | null } {
  const latest = latestContent(state) ?? NO_CONTENT;
  const content = { ...latest, ...change };
  const isSameSource = change.tarballPath === undefined && content.configPath === latest.configPath;
  return { content, bundle: isSameSource ? (state.revisions.at(-1)?.bundle ?? null) : null };
}

/** Why the content cannot run, for example because its source is missing; null: it can. */
export function refuseContent({ source }: DeploymentDefinition, content: RevisionContent): Refusal | null {
  if (source !== "internal_source") return null;
  const missing = content.tarballPath === null ? "source_tarball_path" : "langgraph_config_path";
  if (content.tarballPath !== null && content.configPath !== null) return null;
  const loc = ["body", "source_revision_config", missing];
  return { reason: "invalid", loc, message: "Field required", type: "missing" };
}

/** Why another revision exceeds the limit; null: it does not. */
export function refuseCrowd({ revisions }: ActiveDeployment): Refusal | null {
  if (revisions.length < MAX_REVISIONS) return null;
  const message = `The deployment has ${MAX_REVISIONS} revisions, which is the most; create another one.`;
  return { reason: "conflict", message };
}
