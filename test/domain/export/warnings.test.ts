import { expect, it } from "vitest";
import type { ExportDefinition } from "../../../src/domain/export/records.ts";
import { exportWarnings } from "../../../src/domain/export/warnings.ts";

const codes = (order: Pick<ExportDefinition, "end" | "createdAt">) =>
  exportWarnings(order as ExportDefinition).map(({ code }) => code); // the other members do not matter

it("only a window that ends after the creation of its export causes a warning", () => {
  expect(codes({ end: 1_000_001, createdAt: 1000 })).toEqual(["window_ends_in_future"]);
  expect(codes({ end: 1_000_000, createdAt: 1000 })).toEqual([]);
  expect(codes({ end: null, createdAt: 1000 })).toEqual([]);
});
