import { expect, it } from "vitest";
import { customerObject } from "../../durable/exporting.ts";
import { call, callWith, EXPORTS, newDestination, newProject, newWorkspace, profile } from "../client.ts";

it("an export of three days without traces completes with one run per day, and its runs tile the window", async () => {
  const workspace = await newWorkspace();
  const { headers } = workspace;
  const body = {
    bulk_export_destination_id: await newDestination(workspace),
    session_id: await newProject(workspace),
    start_time: "2024-05-30T12:00:00Z",
    end_time: "2024-06-01T06:00:00Z",
  };
  const { id } = (await call("POST", EXPORTS, { headers, body })).body;
  await expect.poll(async () => (await call("GET", `${EXPORTS}/${id}`, { headers })).body.status).toBe("COMPLETED");

  const runs = (await call("GET", `${EXPORTS}/${id}/runs`, { headers })).body;
  const windows = runs.map((run: { start_time: string; end_time: string }) => [run.start_time, run.end_time]);
  expect(windows).toEqual([
    ["2024-05-30T12:00:00.000Z", "2024-05-31T00:00:00.000Z"],
    ["2024-05-31T00:00:00.000Z", "2024-06-01T00:00:00.000Z"],
    ["2024-06-01T00:00:00.000Z", "2024-06-01T06:00:00.000Z"],
  ]);
  expect(runs[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    bulk_export_id: id,
    session_id: body.session_id,
    status: "COMPLETED",
    retry_number: 0,
    errors: null,
    metadata: {
      prefix: "exports",
      start_time: windows[0][0],
      end_time: windows[0][1],
      execution_backend: null,
      open_upload: null,
      result: {
        rows_written: 0,
        exported_files: [],
        export_path: expect.stringContaining(`/exports/export_id=${id}/`),
        latest_cursor: null,
        pending_upload: null,
        rows_planned: 0,
        bytes_written: 0,
      },
    },
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
    finished_at: expect.stringMatching(/Z$/),
    start_time: windows[0][0],
    end_time: windows[0][1],
    late: false,
  });

  const one = await call("GET", `${EXPORTS}/${id}/runs/${runs[1].id}`, { headers });
  expect(one.body).toEqual(runs[1]);
  const unknown = await call("GET", `${EXPORTS}/${id}/runs/${crypto.randomUUID()}`, { headers });
  expect(unknown.status).toBe(404);
  const page = await call("GET", `${EXPORTS}/${id}/runs?limit=1&offset=1`, { headers });
  expect(page.body).toEqual([runs[1]]);

  const late = await call("PATCH", `${EXPORTS}/${id}`, { headers, body: {} });
  expect([late.status, late.body]).toEqual([409, { detail: expect.any(String) }]);

  const other = await callWith(profile("langsmith"), "GET", `${EXPORTS}/${id}/runs`, { headers });
  expect(other.body.map(({ status }: { status: string }) => status)).toEqual(["Completed", "Completed", "Completed"]);
});

it("the manifest of an export is its text in the bucket, byte for byte, once the export is COMPLETED", async () => {
  const workspace = await newWorkspace();
  const { headers } = workspace;
  const body = {
    bulk_export_destination_id: await newDestination(workspace),
    session_id: await newProject(workspace),
    start_time: "2024-05-30T00:00:00Z",
  };
  const fromNow = { ...body, start_time: new Date().toISOString(), interval_hours: 168 };
  const schedule = (await call("POST", EXPORTS, { headers, body: fromNow })).body;
  const early = await call("GET", `${EXPORTS}/${schedule.id}/manifest`, { headers });
  expect([early.status, early.body.detail]).toEqual([409, expect.stringContaining("this one is CREATED")]);

  const once = { ...body, end_time: "2024-05-31T00:00:00Z" };
  const { id } = (await call("POST", EXPORTS, { headers, body: once })).body;
  await expect.poll(async () => (await call("GET", `${EXPORTS}/${id}`, { headers })).body.status).toBe("COMPLETED");
  const manifest = await call("GET", `${EXPORTS}/${id}/manifest`, { headers });
  expect([manifest.status, manifest.headers.get("Content-Type")]).toEqual([200, "application/json"]);
  const stored = await customerObject(`exports/_waybill/export_id=${id}/manifest.json`);
  expect(stored && new TextDecoder().decode(stored)).toBe(manifest.text);
  expect(manifest.body).toMatchObject({ export_id: id, rows: 0, verification: "size+etag" });

  const otherWorkspace = await newWorkspace();
  expect((await call("GET", `${EXPORTS}/${id}/manifest`, { headers: otherWorkspace.headers })).status).toBe(404);
  await call("PATCH", `${EXPORTS}/${schedule.id}`, { headers, body: {} });
});
