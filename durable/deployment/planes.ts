import { type PlaneName, planeNameOf } from "../../src/domain/deployment/planes.ts";
import type { DeploymentDefinition } from "../../src/domain/deployment/records.ts";
import type { DataPlane } from "./data-plane/data-plane.ts";
import { edgePlane } from "./data-plane/edge/edge-plane.ts";
import { remotePlane } from "./data-plane/remote/remote-plane.ts";

/** Every data plane, by its name in the rules. */
export const PLANES: Readonly<Record<PlaneName, DataPlane>> = { edge: edgePlane, remote: remotePlane };

export const planeOf = (definition: DeploymentDefinition): DataPlane => PLANES[planeNameOf(definition)];
