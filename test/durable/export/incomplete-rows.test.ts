import { beforeAll, expect, it } from "vitest";
import { workspace } from "../../../durable/protocol/actors.ts";
import type { ExportDefinition } from "../../../src/domain/export/records.ts";
import { MAX_RUN_BYTES } from "../../../src/trace/run/run-size.ts";
import { manifestOf } from "../exported-files.ts";
import { definitionOf, newWorkspace, noisyRun, type TestWorkspace } from "../exporting.ts";
import { env, ingest, NOON, newId, patch, post } from "../traces.ts";

const HALF_MB = MAX_RUN_BYTES / 2_000_000;

let home: TestWorkspace;

/** One run as large as allowed of which a value was left out, one of an hour later, and a small one. */
beforeAll(async () => {
  home = await newWorkspace();
  const { inputs } = noisyRun(HALF_MB);
  const { inputs: outputs } = noisyRun(HALF_MB);
  const ids = [newId(), newId()];
  for (const id of ids) for (const fields of [{ outputs }, { extra: inputs }]) await ingest(home, patch(id, fields));
  for (const [hour, id] of ids.entries())
    await ingest(home, post(id, { inputs, name: "large", start_time: NOON + hour * 3_600_000_000 }));
  await ingest(home, post(newId(), { name: "small" }));
});

it.each<[string, Partial<ExportDefinition>, number, number]>([
  ["all fields", {}, 3, 2],
  ["a field that does not name what was left out", { exportFields: ["id"], formatVersion: "v2_beta" }, 3, 2],
  ["another codec", { compression: "snappy", exportFields: ["id", "left_out"] }, 3, 2],
  ["a part of the day", { end: NOON + 60_000_000, exportFields: ["id", "outputs"] }, 2, 1],
  ["runs that a filter selects", { filter: 'eq(name, "small")' }, 1, 0],
])(
  "the manifest of an export of %s says how many rows lack something that was acknowledged",
  async (_, changes, rows, incomplete) => {
    const definition = definitionOf(home, changes);
    await workspace(env, home.tenantId).createExport(definition);
    const manifest = await manifestOf(home, definition.id);
    expect([manifest.rows, manifest.incomplete_rows]).toEqual([rows, incomplete]);
  },
);
