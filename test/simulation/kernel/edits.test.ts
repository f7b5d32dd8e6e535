import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PLANTS } from "../exports/plants.ts";
import { FLEET_PLANTS } from "../fleet/plants.ts";
import { edited, editsFor } from "./edits.ts";

const ROOT = join(import.meta.dirname, "../../..");

const plants = [...PLANTS, ...FLEET_PLANTS].map(({ name }) => name);

/** Fails when the text of one of them is not in its file, or is there twice. */
const apply = (plant: string | null): void => {
  const edits = editsFor(plant);
  for (const file of new Set(edits.map((edit) => edit.file)))
    expect(edited(file, readFileSync(join(ROOT, file), "utf8"), edits)).not.toBe("");
};

describe("an edit that the simulation makes in the source text", () => {
  it("fits when no mistake is planted", () => apply(null));

  it.each(plants)("fits when the mistake %s is planted", apply);

  it("has a name of its own when it is a planted mistake", () => {
    expect(new Set(plants).size).toBe(plants.length);
  });
});
