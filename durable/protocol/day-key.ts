import type { KnownDay } from "./unrouted.ts";

/** Unique per project and day of a tenant. */
export const dayKey = ({ projectId, day }: Pick<KnownDay, "projectId" | "day">): string => `${projectId}/${day}`;
