import type { KnownDay } from "./shard.ts";

/** Tells the days of a tenant's projects apart. */
export const dayKey = ({ projectId, day }: Pick<KnownDay, "projectId" | "day">): string => `${projectId}/${day}`;
