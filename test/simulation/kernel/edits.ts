import { PLANTS } from "../exports/plants.ts";
import { FLEET_PLANTS } from "../fleet/plants.ts";

/** A change of the product's text, made while it is loaded. The text must be there, once. */
export interface Edit {
  /** Path from the root of the project. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

/** S3's least part, scaled down as everything else is: a file of some KB has many parts. */
export const MIN_PART_BYTES = 256;

/** What is bound to real sizes, and what would outlive a world. */
const SCALED: readonly Edit[] = [
  {
    file: "src/settings.ts",
    text: "const MIN_PART_BYTES = 5 * MIB;",
    replacement: `const MIN_PART_BYTES = ${MIN_PART_BYTES};`,
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "const ROOM_BYTES = 48 * 1024 * 1024;",
    replacement: "const ROOM_BYTES = 1024;",
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
    text: "const HELD_BYTES = 1024 * 1024;",
    replacement: "const HELD_BYTES = 8 * 1024;",
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "const LOOK_AGAIN_MS = 5;",
    replacement: "const LOOK_AGAIN_MS = 5_000;",
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "const MAX_PAUSE_MS = SILENT_MS / 5;",
    replacement: "const MAX_PAUSE_MS = SILENT_MS;",
  },
  {
    file: "durable/concurrency/memory-budget.ts",
    text: "const seals = new Room(SEALING_BYTES);",
    replacement: `const seals = new Room(SEALING_BYTES);
      globalThis.newIsolate = () => { files.stays.clear(); seals.stays.clear(); };`,
  },
];

/** Every edit of one simulation; `plant` names a deliberate mistake, or is null. Throws for a name that is not one. */
export function editsFor(plant: string | null): readonly Edit[] {
  if (plant === null) return SCALED;
  const planted = [...PLANTS, ...FLEET_PLANTS].find(({ name }) => name === plant);
  if (planted === undefined) throw new Error(`there is no planted fault ${plant}`);
  return [...SCALED, planted];
}

/** The text of a file after its edits. Throws when one no longer fits. */
export function edited(file: string, text: string, edits: readonly Edit[]): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((now, edit) => {
      if (now.split(edit.text).length !== 2) throw new Error(`${file} does not hold once: ${edit.text}`);
      return now.replace(edit.text, () => edit.replacement);
    }, text);
}
