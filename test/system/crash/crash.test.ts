import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isoFromMs } from "../../../src/domain/shared/time.ts";
import type { FaultRule } from "../../support/broken-s3-rules.ts";
import { until } from "../../support/until.ts";
import type { Contents } from "../faults/bucket-contents.ts";
import { type Laboratory, openLaboratory, QUICK } from "../faults/laboratory.ts";

/** Every process of the real service is killed by SIGKILL at each step of an export; new ones resume from its state. */

let laboratory: Laboratory;
let undisturbed: Contents;

interface Begun {
  readonly prefix: string;
  readonly exportId: string;
}

beforeAll(async () => {
  laboratory = await openLaboratory({ ...QUICK, SPAWN_DELAY_MS: "0", MAX_RUNNING_EXPORTS: "40" });
  undisturbed = await complete(await begin("undisturbed"));
});

afterAll(() => laboratory?.close());

const begin = async (prefix: string, compression?: string): Promise<Begun> => {
  const exportId = await laboratory.begin(await laboratory.newDestination(prefix), compression);
  return { prefix, exportId };
};

/** Waits for the end; the export is complete and has used no retry. Returns its objects in the bucket. */
const complete = async ({ prefix, exportId }: Begun): Promise<Contents> => {
  const { status, runs } = await laboratory.untilEnded(exportId);
  expect([status, ...runs.map((run) => run.status)]).toEqual(["COMPLETED", "COMPLETED", "COMPLETED"]);
  expect(runs.map((run) => run.errors)).toEqual([null, null]);
  return laboratory.contents({ exportId, runIds: runs.map((run) => run.id), prefix });
};

const killAndRestart = async (): Promise<void> => {
  await laboratory.kill();
  laboratory.s3.setRules();
  await laboratory.restart();
};

describe("an export interrupted by a crash resumes, uses no retry, and has the bytes of an undisturbed one", () => {
  /** Each request hangs in its own export; when all of them hang, one kill interrupts all exports. */
  const REQUESTS: readonly (readonly [request: string, rule: Pick<FaultRule, "operation" | "after">, key: string])[] = [
    ["the opening of an upload", { operation: "create_upload" }, ""],
    ["the first part", { operation: "put_part" }, ""],
    ["the second part", { operation: "put_part", after: 1 }, ""],
    ["Complete", { operation: "complete_upload" }, ""],
    ["HEAD of the completed file", { operation: "head" }, "0-00000"],
    ["the PUT of a whole file", { operation: "put" }, "0-00001"],
    ["HEAD of the last file", { operation: "head" }, "0-00001"],
    ["the manifest", { operation: "put" }, "manifest"],
    ["_SUCCESS", { operation: "put" }, "_SUCCESS"],
  ];
  /** 18 concurrent exports on a busy machine. */
  const BATCH_WITHIN_MS = 120_000;
  const MOMENTS = ["silence", "silence_after"] as const;
  const interrupted = new Map<string, Begun>();
  const prefixOf = (fault: (typeof MOMENTS)[number], request: string) =>
    `${fault}-${REQUESTS.findIndex(([one]) => one === request)}`;

  beforeAll(async () => {
    const hangs: Promise<void>[] = [];
    const rules: FaultRule[] = [];
    const destinations = new Map<string, string>();
    for (const fault of MOMENTS) {
      for (const [request, rule, key] of REQUESTS) {
        const prefix = prefixOf(fault, request);
        destinations.set(prefix, await laboratory.newDestination(prefix));
        const hang = Promise.withResolvers<void>();
        hangs.push(hang.promise);
        rules.push({ ...rule, key: new RegExp(`^${prefix}/.*${key}`), fault, onFault: hang.resolve });
      }
    }
    laboratory.s3.setRules(...rules);
    for (const [prefix, destinationId] of destinations)
      interrupted.set(prefix, { prefix, exportId: await laboratory.begin(destinationId) });
    await Promise.all(hangs);
    await killAndRestart();
  }, BATCH_WITHIN_MS);

  /** The final objects of the interrupted export, and the number of its open uploads. */
  const endOf = async (fault: (typeof MOMENTS)[number], request: string) => {
    const begun = interrupted.get(prefixOf(fault, request));
    if (begun === undefined) throw new Error(`no export was interrupted at ${request}`);
    return { contents: await complete(begun), openUploads: laboratory.s3.openUploads(`${begun.prefix}/`).length };
  };

  it.each(REQUESTS)("killed before %s reaches the store", async (request) => {
    expect(await endOf("silence", request)).toEqual({ contents: undisturbed, openUploads: 0 });
  });

  it.each(REQUESTS.slice(1))("killed after the store has executed %s, with the answer lost", async (request) => {
    expect(await endOf("silence_after", request)).toEqual({ contents: undisturbed, openUploads: 0 });
  });

  it("killed before it knows the id of an open upload: the upload is left to the bucket's lifecycle rules", async () => {
    expect(await endOf("silence_after", "the opening of an upload")).toEqual({ contents: undisturbed, openUploads: 1 });
  });

  it("killed right after its workspace has registered it", async () => {
    const begun = await begin("admitted");
    await killAndRestart();
    expect(await complete(begun)).toEqual(undisturbed);
  });

  const killedBehind = async (step: string, prefix: string, compression?: string): Promise<Begun> => {
    const begun = await begin(prefix, compression);
    const line = new RegExp(`"run_step","export":"${begun.exportId}".*"step":"${step}"`);
    await until(() => line.test(laboratory.log()));
    await killAndRestart();
    return begun;
  };

  it.each(["snapshot", "prepare", "upload", "clean"])("killed after the step %s", async (step) => {
    expect(await complete(await killedBehind(step, `step-${step}`))).toEqual(undisturbed);
  });

  it("killed while its segments are derived in another codec", async () => {
    const derived = await complete(await begin("derived", "gzip"));
    expect(await complete(await killedBehind("snapshot", "derived-killed", "gzip"))).toEqual(derived);
  });
});

describe("a step that crashes three times in a row", () => {
  it("uses one retry, and the export still completes", async () => {
    const destinationId = await laboratory.newDestination("three-times");
    let exportId = "";
    for (let times = 1; times <= 3; times++) {
      const strike = Promise.withResolvers<void>();
      laboratory.s3.setRules({ operation: "create_upload", fault: "silence", onFault: strike.resolve });
      if (times === 1) exportId = await laboratory.begin(destinationId);
      else await laboratory.restart();
      await strike.promise;
      await until(async () => (await laboratory.runsOf(exportId))[1]?.status === "COMPLETED");
      await laboratory.kill();
    }
    laboratory.s3.setRules();
    await laboratory.restart();
    const { status, runs } = await laboratory.untilEnded(exportId);
    expect(status).toBe("COMPLETED");
    expect(runs.map((run) => run.errors)).toEqual([{ retry_0: expect.stringContaining("interrupted 3 times") }, null]);
    const names = { exportId, runIds: runs.map((run) => run.id), prefix: "three-times" };
    expect(await laboratory.contents(names)).toEqual(undisturbed);
  });
});

describe("a schedule", () => {
  it("whose window ended while the service was down spawns it once after the restart", async () => {
    const end = Date.now() + 1000;
    const created = await laboratory.ask("POST", "/api/v1/bulk-exports", {
      bulk_export_destination_id: await laboratory.newDestination("schedule"),
      session_id: laboratory.projectId,
      start_time: isoFromMs(end - HOUR_MS),
      interval_hours: 1,
    });
    expect(created.status).toBe(200);
    const schedule = (await created.json()) as { id: string };
    await laboratory.kill();
    await until(() => Date.now() > end);
    await laboratory.restart();
    await until(async () => (await spawnedBy(schedule.id)).length > 0);
    await killAndRestart();
    const [window] = await spawnedBy(schedule.id);
    expect((await laboratory.untilEnded(window?.id ?? "")).status).toBe("COMPLETED");
    expect(await spawnedBy(schedule.id)).toEqual([
      expect.objectContaining({ start_time: isoFromMs(end - HOUR_MS), end_time: isoFromMs(end) }),
    ]);
  });
});

const HOUR_MS = 3_600_000;

/** Exports that a schedule has spawned. */
const spawnedBy = async (scheduleId: string) => {
  // The shape is that of [XRN-6]; test/http checks it.
  const all = (await (await laboratory.ask("GET", "/api/v1/bulk-exports")).json()) as {
    readonly id: string;
    readonly source_bulk_export_id: string | null;
  }[];
  return all.filter((one) => one.source_bulk_export_id === scheduleId);
};
