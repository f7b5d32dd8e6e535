import { describe, expect, it } from "vitest";
import type { DestinationCommand, DestinationOrder } from "../../../src/domain/destination/commands.ts";
import type { DestinationEvent } from "../../../src/domain/destination/events.ts";
import { destination } from "../../../src/domain/destination/index.ts";
import { fileKey, folderOf, isOwnUploadKey, manifestKey, probeKey } from "../../../src/domain/destination/layout.ts";
import { abandonedAfterMs } from "../../../src/domain/destination/sweep.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import { eventsOf } from "../../support/events-of.ts";
import { specification } from "../../support/given.ts";
import { check, config, HOUR_MS, NOW } from "../../support/samples.ts";

const { given } = specification(destination);

const OWN = { id: "d", tenantId: "a0000000-0000-4000-8000-000000000001" };
const created: DestinationEvent = {
  type: "DestinationCreated",
  ...OWN,
  displayName: "bucket",
  config,
  credentials: { version: 1, envelope: "sealed", keys: ["access_key_id"] },
  check,
  at: NOW,
};
const commandOf = (order: DestinationOrder, now: number): DestinationCommand => ({ ...order, ...OWN, now });
const used = (at: number): DestinationEvent => ({ type: "DestinationUsed", at });
const swept = (at: number, dueAt: number | null = at + DAY_MS): DestinationEvent => ({
  type: "UploadsSwept",
  next: null,
  dueAt,
  at,
});
const exportTimeoutMs = 72 * HOUR_MS;
const page = (now: number, next: { key: string; uploadId: string } | null = null) =>
  commandOf({ type: "RecordSweep", next, exportTimeoutMs }, now);
const NEXT = { key: "k", uploadId: "u" };

describe("the sweep of a destination", () => {
  it("comes a day after its creation, and then daily", () => {
    given(created).wakesAt(NOW + DAY_MS);
    given(created)
      .when(page(NOW + DAY_MS))
      .then(swept(NOW + DAY_MS))
      .thenWakesAt(NOW + 2 * DAY_MS);
  });

  it("stops when everything of the last use is old enough, and begins again with the next use", () => {
    const last = NOW + 5 * DAY_MS;
    given(created)
      .when(page(last - 1))
      .thenWakesAt(last - 1 + DAY_MS);
    const resting = given(created).when(page(last)).then(swept(last, null));
    resting.thenWakesAt(null);
    const later = last + 30 * DAY_MS;
    given(created, swept(last, null))
      .when(commandOf({ type: "UseDestination" }, later))
      .then(used(later))
      .thenWakesAt(later + DAY_MS);
  });

  it("records a use once a day, which does not move it", () => {
    given(created)
      .when(commandOf({ type: "UseDestination" }, NOW + DAY_MS - 1))
      .thenNothing();
    const at = NOW + DAY_MS + 5;
    given(created, swept(NOW + DAY_MS))
      .when(commandOf({ type: "UseDestination" }, at))
      .then(used(at))
      .thenWakesAt(NOW + 2 * DAY_MS);
  });

  it("goes on at once with the next page, at most 100 pages a day", () => {
    const at = NOW + DAY_MS;
    let { state } = given(created);
    let pages = 0;
    for (; destination.wakeAt(state) === at; pages += 1)
      state = eventsOf(destination.decide(page(at, NEXT), state)).reduce(destination.evolve, state);
    expect(pages).toBe(100);
    expect(destination.wakeAt(state)).toBe(at + DAY_MS);
    expect(state).toMatchObject({ sweep: { from: NEXT, pages: 0 } });
  });

  it("ends with the destination", () => {
    given(created, { type: "DestinationDeleted", at: NOW }).wakesAt(null);
  });

  it("takes an upload for abandoned after a day, and after the longest time of an export", () => {
    expect([abandonedAfterMs(1000), abandonedAfterMs(exportTimeoutMs)]).toEqual([DAY_MS, exportTimeoutMs]);
  });
});

describe("an upload of a workspace", () => {
  const { tenantId } = OWN;
  const exportId = "e0000000-0000-4000-8000-000000000001";
  const projectId = "b0000000-0000-4000-8000-000000000001";
  const fileOf = (prefix: string, tenant = tenantId) =>
    fileKey(folderOf({ prefix, exportId, tenantId: tenant, projectId, day: "2030-01-09", version: "v2_beta" }), 3, 12);

  it.each(["", "traces", "a/b"])("is known by its key below the prefix '%s'", (prefix) => {
    expect(isOwnUploadKey(prefix, tenantId, fileOf(prefix))).toBe(true);
    expect(isOwnUploadKey(prefix, tenantId, probeKey(prefix, exportId))).toBe(true);
  });

  it.each<[what: string, key: string]>([
    ["another workspace", fileOf("traces", "a0000000-0000-4000-8000-000000000002")],
    ["another prefix", fileOf("traces2")],
    ["a folder above the prefix", fileOf("")],
    ["another program", "traces/export_id=7/part-0.parquet"],
    ["another program's folder tmp", "traces/tmp/upload.txt"],
    ["a deeper folder tmp", `traces/tmp/x/${exportId}.txt`],
    ["no upload in parts", manifestKey("traces", exportId)],
  ])("is not taken for one of %s", (_what, key) => {
    expect(isOwnUploadKey("traces", tenantId, key)).toBe(false);
  });
});
