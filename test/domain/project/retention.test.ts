import { expect, it } from "vitest";
import { keptUntil } from "../../../src/domain/project/retention.ts";
import { INTERVAL_HOURS, LIMITS } from "../../../src/domain/shared/limits.ts";
import { startOfDay } from "../../../src/domain/shared/time.ts";

const HOUR_MS = 3_600_000;

it("a retention of 11 days keeps the first day of the longest window until its export times out", () => {
  const begin = startOfDay("2030-01-01");
  const endOfExport = begin + INTERVAL_HOURS.max * HOUR_MS + LIMITS.spawnDelayMs + LIMITS.exportTimeoutMs;
  expect(keptUntil("2030-01-01", 11)).toBeGreaterThanOrEqual(endOfExport);
});
