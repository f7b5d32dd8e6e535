import type { WorkspaceProtocol } from "../protocol/workspace.ts";

/** What that method of a workspace is given. */
export type InputOf<Method extends keyof WorkspaceProtocol> = Parameters<WorkspaceProtocol[Method]>[0];
