import type { DeploymentRequest } from "../../../src/domain/deployment/commands.ts";
import type { DeploymentDefinition } from "../../../src/domain/deployment/records.ts";
import type { Work } from "../../../src/domain/deployment/view.ts";
import type { Result } from "../../../src/domain/shared/result.ts";
import type { Agent } from "../../protocol/deployment.ts";
import type { Env } from "../../protocol/env.ts";

/** The Worker's own entrypoints, `ctx.exports`. */
export type OwnExports = Cloudflare.Exports;

/** The context of a Worker or an actor. */
export interface Place {
  readonly env: Env;
  readonly exports: OwnExports;
}

/** Why no agent answered a request. */
export type ServeFailure =
  | { readonly reason: "not_serving"; readonly message: string }
  | { readonly reason: "agent_failed"; readonly message: string };

/** Where the revisions of a deployment run. The rules of the same plane are in src/domain/deployment. */
export interface DataPlane {
  /** Does one unit of work and answers its result; null: the work is not ours. Idempotent. */
  perform(place: Place, work: Work): Promise<DeploymentRequest | null>;
  /** The deployment runs here from now on. Called at least once. */
  assign(env: Env, definition: DeploymentDefinition): Promise<void>;
  /** The deployment no longer runs here. Called at least once. */
  release(env: Env, definition: DeploymentDefinition): Promise<void>;
  /** Forwards a request to the active revision. */
  serve(place: Place, agent: Agent, request: Request): Promise<Result<Response, ServeFailure>>;
}
