import type { DataPlane } from "./data-plane.ts";
import { edgePlane } from "./edge-plane.ts";
import type { DeploymentDefinition, Source } from "./records.ts";
import { remotePlane } from "./remote-plane.ts";

/** Every data plane, by name. durable/deployment/planes.ts has the same names. */
const PLANES = { edge: edgePlane, remote: remotePlane } as const satisfies Readonly<Record<string, DataPlane>>;

export type PlaneName = keyof typeof PLANES;

/** Where each kind of source runs. */
const PLANE_OF_SOURCE: Readonly<Record<Source, PlaneName>> = {
  internal_source: "edge",
  external_docker: "remote",
  github: "remote",
};

/** The data plane of a deployment; the same for its whole life, as its definition is. */
export const planeNameOf = ({ source }: DeploymentDefinition): PlaneName => PLANE_OF_SOURCE[source];

export const planeOf = (definition: DeploymentDefinition): DataPlane => PLANES[planeNameOf(definition)];
