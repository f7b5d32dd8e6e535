import { beforeAll, describe, expect, it } from "vitest";
import type { ExportStatus } from "../../../src/domain/shared/export-status.ts";
import { exportStatusWord, wireProfile } from "../../../src/http/kernel/wire-profile.ts";
import {
  call,
  callWith,
  DESTINATIONS,
  destinationBody,
  EXPORTS,
  newDestination,
  newProject,
  newWorkspace,
  profile,
  type TestWorkspace,
} from "../client.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const STATUSES: readonly ExportStatus[] = ["CREATED", "RUNNING", "COMPLETED", "FAILED", "CANCELLED", "TIMEDOUT"];

describe("statuses", () => {
  const wordsOf = (name: "spec" | "langsmith", intervalHours: number | null) =>
    STATUSES.map((status) => exportStatusWord(wireProfile(name), { status, intervalHours }));

  it("are those of the specification in the profile spec", () => {
    expect(wordsOf("spec", null)).toEqual(STATUSES);
  });

  it("are those of the original in the profile langsmith", () => {
    const words = ["Created", "Running", "Completed", "Failed", "Cancelled", "TimedOut"];
    expect(wordsOf("langsmith", null)).toEqual(words);
  });

  it("of a schedule stay the same until it ends", () => {
    expect(wordsOf("spec", 24).slice(0, 2)).toEqual(["CREATED", "CREATED"]);
    expect(wordsOf("langsmith", 24).slice(0, 2)).toEqual(["IntervalScheduled", "IntervalScheduled"]);
    expect([wordsOf("spec", 24)[4], wordsOf("langsmith", 24)[4]]).toEqual(["CANCELLED", "Cancelled"]);
  });

  it("of one schedule are shown in both profiles", async () => {
    const { headers } = workspace;
    const body = {
      bulk_export_destination_id: await newDestination(workspace),
      session_id: await newProject(workspace),
      start_time: "2030-01-01T00:00:00Z",
      interval_hours: 24,
    };
    const created = await callWith(profile("langsmith"), "POST", EXPORTS, { headers, body });
    expect([created.status, created.body.status]).toEqual([200, "IntervalScheduled"]);
    const path = `${EXPORTS}/${created.body.id}`;
    expect((await call("GET", path, { headers })).body.status).toBe("CREATED");
    const cancelled = await callWith(profile("langsmith"), "PATCH", path, { headers, body: { status: "Cancelled" } });
    expect(cancelled.body.status).toBe("Cancelled");
    expect((await call("GET", path, { headers })).body.status).toBe("CANCELLED");
  });
});

describe("include_bucket_in_prefix", () => {
  const createWith = async (name: "spec" | "langsmith", sent: object) => {
    const body = destinationBody();
    const config = { ...body.config, ...sent };
    const request = { headers: workspace.headers, body: { ...body, config } };
    const created = await callWith(profile(name), "POST", DESTINATIONS, request);
    return created.body.config.include_bucket_in_prefix;
  };

  it("is false by default in the profile spec", async () => {
    expect(await createWith("spec", {})).toBe(false);
    expect(await createWith("spec", { include_bucket_in_prefix: null })).toBe(false);
    expect(await createWith("spec", { include_bucket_in_prefix: true })).toBe(true);
  });

  it("is true in the profile langsmith, where reported paths begin with the bucket and keys never do", async () => {
    expect(await createWith("langsmith", {})).toBe(true);
    expect(await createWith("langsmith", { include_bucket_in_prefix: true })).toBe(true);
  });
});

it("the profile langsmith defaults destination_type and prefix, which the specification requires", async () => {
  const body = destinationBody();
  const { destination_type: _type, ...short } = { ...body, config: { ...body.config, prefix: undefined } };
  const request = { headers: workspace.headers, body: short };
  const created = await callWith(profile("langsmith"), "POST", DESTINATIONS, request);
  expect([created.status, created.body.destination_type, created.body.config.prefix]).toEqual([200, "s3", ""]);
  const refused = await call("POST", DESTINATIONS, request);
  expect(refused.body.detail.map(({ loc }: { loc: string[] }) => loc.join("."))).toEqual([
    "body.destination_type",
    "body.config.prefix",
  ]);
});

it("the default compression is a setting", async () => {
  const { headers } = workspace;
  const body = {
    bulk_export_destination_id: await newDestination(workspace),
    session_id: await newProject(workspace),
    start_time: "2030-01-01T00:00:00Z",
    interval_hours: 1,
  };
  const created = await callWith({ DEFAULT_COMPRESSION: "gzip" }, "POST", EXPORTS, { headers, body });
  expect(created.body.compression).toBe("gzip");
});
