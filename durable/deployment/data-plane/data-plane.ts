import type { DeploymentRequest } from "../../../src/domain/deployment/commands.ts";
import type { DeploymentDefinition } from "../../../src/domain/deployment/records.ts";
import type { Work } from "../../../src/domain/deployment/view.ts";
import type { Result } from "../../../src/domain/shared/result.ts";
import type { Agent } from "../../protocol/deployment.ts";
import type { Env } from "../../protocol/env.ts";

/** The Worker's own entrypoints, `ctx.exports`. */
export type OwnExports = Cloudflare.Exports;

/** What a Worker or an actor has at hand. */
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
  /** Does a piece of work and answers what came of it; null: it is not ours to do. Done twice, it is as done once. */
  perform(place: Place, work: Work): Promise<DeploymentRequest | null>;
  /** A deployment runs here from now on. It is told at least once. */
  assign(env: Env, definition: DeploymentDefinition): Promise<void>;
  /** A deployment does not run here any more. It is told at least once. */
  release(env: Env, definition: DeploymentDefinition): Promise<void>;
  /** Hands a request to the revision that serves. */
  serve(place: Place, agent: Agent, request: Request): Promise<Result<Response, ServeFailure>>;
}
