import { PLANTS } from "../exports/plants.ts";
import { FLEET_PLANTS } from "../fleet/plants.ts";

/** A change of the product's source, applied when it is loaded. The text must occur exactly once. */
export interface Edit {
  /** Path from the root of the project. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

/** Minimum part size, scaled down like all sizes, so that a file of a few KB has many parts. */
export const MIN_PART_BYTES = 256;

/** Edits of constants for real sizes and times, and of state that would outlive a world. */
const SCALED: readonly Edit[] = [
  {
    file: "src/domain/shared/limits.ts",
    text: "const MIN_PART_BYTES = 5 * MIB;",
    replacement: `const MIN_PART_BYTES = ${MIN_PART_BYTES};`,
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "const EXPORT_BYTES = 48 * 1024 * 1024;",
    replacement: "const EXPORT_BYTES = 1024;",
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "const SEALING_BYTES = 32 * 1024 * 1024;",
    replacement: "const SEALING_BYTES = 1024;",
  },
  {
    file: "durable/export-run/steps/snapshot.ts",
    text: "const SHORT_LIST_CHARACTERS = 32 * 1024;",
    replacement: "const SHORT_LIST_CHARACTERS = 512;",
  },
  {
    file: "durable/export-run/steps/derive.ts",
    text: "const MAX_HELD_BYTES = 1024 * 1024;",
    replacement: "const MAX_HELD_BYTES = 8 * 1024;",
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "const POLL_MS = 5;",
    replacement: "const POLL_MS = 5_000;",
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "const RENEW_MS = 500;",
    replacement: "const RENEW_MS = 5_000;",
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "export const exportMemory = new MemoryBudget(EXPORT_BYTES);",
    replacement: "export let exportMemory = new MemoryBudget(EXPORT_BYTES);",
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "export const sealingMemory = new MemoryBudget(SEALING_BYTES);",
    replacement: `export let sealingMemory = new MemoryBudget(SEALING_BYTES);
      globalThis.newIsolate = () => {
        exportMemory = new MemoryBudget(EXPORT_BYTES);
        sealingMemory = new MemoryBudget(SEALING_BYTES);
      };`,
  },
];

/** All edits of a simulation. `plant`: name of a deliberate mistake, or null. Throws if there is no such mistake. */
export function editsFor(plant: string | null): readonly Edit[] {
  if (plant === null) return SCALED;
  const planted = [...PLANTS, ...FLEET_PLANTS].find(({ name }) => name === plant);
  if (planted === undefined) throw new Error(`there is no planted fault ${plant}`);
  return [...SCALED, planted];
}

/** The text of a file after its edits. Throws if the text of an edit does not occur exactly once. */
export function edited(file: string, text: string, edits: readonly Edit[]): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((now, edit) => {
      if (now.split(edit.text).length !== 2) throw new Error(`${file} does not contain exactly once: ${edit.text}`);
      return now.replace(edit.text, () => edit.replacement);
    }, text);
}
