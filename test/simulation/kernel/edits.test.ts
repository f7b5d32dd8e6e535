import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PLANTS } from "../exports/plants.ts";
import { FLEET_PLANTS } from "../fleet/plants.ts";
import { edited, editsFor } from "./edits.ts";

const ROOT = join(import.meta.dirname, "../../..");

const plants = [...PLANTS, ...FLEET_PLANTS].map(({ name }) => name);

/** Fails when the text of an edit does not occur exactly once in its file. */
const apply = (plant: string | null): void => {
  const edits = editsFor(plant);
  for (const file of new Set(edits.map((edit) => edit.file)))
    expect(edited(file, readFileSync(join(ROOT, file), "utf8"), edits)).not.toBe("");
};

describe("an edit of the source by the simulation", () => {
  it("can be applied when no mistake is planted", () => apply(null));

  it.each(plants)("can be applied when the mistake %s is planted", apply);

  it("has a unique name if it is a planted mistake", () => {
    expect(new Set(plants).size).toBe(plants.length);
  });
});
