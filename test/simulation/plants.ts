import type { Edit } from "./edits.ts";

/** A deliberate mistake, and the invariant that must find it. */
export interface Plant extends Edit {
  readonly name: string;
  readonly breaks: string;
  readonly foundBy: string;
}

export const PLANTS: readonly Plant[] = [];
