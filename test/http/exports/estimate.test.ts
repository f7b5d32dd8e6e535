import { expect, it } from "vitest";
import { call, EXPORTS, newProject, newWorkspace } from "../client.ts";

it("an estimate needs no destination, and for an empty project it is exactly zero", async () => {
  const workspace = await newWorkspace();
  const { headers } = workspace;
  const session_id = await newProject(workspace);
  const estimate = (body: object) => call("POST", `${EXPORTS}/estimate`, { headers, body });
  const window = { start_time: "2024-05-30T12:00:00Z", end_time: "2024-06-01T06:00:00Z" };
  const nothing = { rows: 0, bytes: 0, files: 0, parts: 0, days: 3, exact: true };
  const answer = await estimate({ session_id, ...window });
  expect([answer.status, answer.body]).toEqual([200, nothing]);
  const named = await estimate({ session_id, ...window, bulk_export_destination_id: crypto.randomUUID() });
  expect(named.body).toEqual(nothing);
  const schedule = await estimate({ session_id, start_time: "2024-05-30T12:00:00Z", interval_hours: 24 });
  expect(schedule.body).toEqual({ ...nothing, days: 2 });

  expect((await estimate({ session_id: crypto.randomUUID(), ...window })).status).toBe(404);
  for (const wrong of [
    { start_time: window.start_time },
    { ...window, end_time: window.start_time },
    { ...window, of: 1 },
  ])
    expect((await estimate({ session_id, ...wrong })).status).toBe(422);
});
