import { execFileSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import type { WaybillConfig } from "../../../dev/config.ts";
import { askerOf } from "../../support/own-waybill.ts";
import { isPortFree, processesNaming, startDev, stateFolder, stopAll, untilListening } from "./dev-process.ts";

afterEach(stopAll);

/** Ids of workerd's processes that keep their state in the directory, oldest first. The first serves the port. */
const runtimesOf = (stateDir: string): readonly number[] => {
  const [group] = processesNaming(stateDir);
  const rows = execFileSync("ps", ["-eo", "pid=,pgid=,comm="], { encoding: "utf8" }).trim().split("\n");
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, groupId, name]) => Number(groupId) === group && name === "workerd")
    .map(([id]) => Number(id))
    .toSorted((one, other) => one - other);
};

/** The disk of 24 MiB is full after some runs of this size; the space freed then exceeds one more run. */
const RUN_BYTES = 500_000;
const MOST_RUNS = 60;
const BALLAST_BYTES = 6_000_000;

const DAY = "2026-01-05";
const runOf = (project: string, bytes: number) => ({
  id: randomUUID(),
  session_name: project,
  name: "n",
  run_type: "chain",
  start_time: `${DAY}T10:00:00Z`,
  inputs: { text: randomBytes(bytes / 2).toString("hex") },
});
const send = (config: WaybillConfig, project: string, bytes = 1000) =>
  askerOf(config)("POST", "/runs/batch", { post: [runOf(project, bytes)] });

describe("npm run dev", () => {
  it("restarts the service when the process that serves its port is killed, and prints that", async () => {
    const dev = await startDev();
    const config = await untilListening(dev);
    expect((await send(config, "p")).status).toBe(202);
    const before = runtimesOf(dev.stateDir);
    expect(before.length).toBe(2);
    process.kill(Number(before[0]), "SIGKILL");
    await expect.poll(dev.output).toContain(`Waybill listens on ${config.url} again.`);
    expect(dev.output()).toContain("The service ended unexpectedly.");
    expect((await send(config, "p")).status).toBe(202);
    expect(runtimesOf(dev.stateDir).filter((id) => before.includes(id))).toEqual([]);
    expect(existsSync(join(dev.stateDir, "wrangler.previous.log"))).toBe(true);
    dev.child.kill("SIGTERM");
    expect(await dev.ended).toBe(0);
    expect(processesNaming(dev.stateDir)).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends with all its processes on %s to npm, as a supervisor sends it",
    async (signal) => {
      const dev = await startDev({ command: ["npm", "run", "dev"] });
      await untilListening(dev);
      dev.child.kill(signal);
      await dev.ended;
      expect(processesNaming(dev.stateDir)).toEqual([]);
      expect(await isPortFree(dev.port)).toBe(true);
    },
  );

  it.each([
    ["", false],
    ["true", true],
  ])("records spans only when X_LOCAL_OBSERVABILITY asks for them: %j", async (asked, records) => {
    const dev = await startDev({ settings: { X_LOCAL_OBSERVABILITY: asked } });
    expect((await send(await untilListening(dev), "p")).status).toBe(202);
    const spans = join(dev.stateDir, "state/v3/observability");
    if (records) await expect.poll(() => existsSync(spans)).toBe(true);
    expect(existsSync(spans)).toBe(records);
  });
});

it.skipIf(!mayMount())("a full disk is answered with 503 until there is room again; the service goes on", async () => {
  const stateDir = stateFolder();
  // In its own mount namespace, so that no privilege is needed and nothing stays mounted.
  const inner = `mount -t tmpfs -o size=24m tmpfs '${stateDir}' && exec '${process.execPath}' dev/dev.mjs`;
  const dev = await startDev({ stateDir, command: ["unshare", "-Urm", "bash", "-c", inner] });
  const seen = `/proc/${dev.child.pid}/root${stateDir}`;
  const config = await untilListening(dev, seen);
  const ballast = join(seen, "ballast");
  writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES));
  let answer = await send(config, "p", RUN_BYTES);
  for (let sent = 1; answer.status === 202 && sent < MOST_RUNS; sent++) answer = await send(config, "p", RUN_BYTES);
  expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "10"]);
  expect(await answer.text()).toMatch(/storage of the service is full or failing|cannot be opened: the disk is full/i);
  expect((await fetch(`${config.url}/ok`)).status).toBe(200);
  rmSync(ballast);
  await expect.poll(async () => (await send(config, "p")).status).toBe(202);
  expect(dev.output()).not.toContain("ended unexpectedly");
});

describe("npm run dev prints what to do about a damaged file:", () => {
  it.each(["", "{", "null", '{"url": "http://127.0.0.1:1"}'])("a waybill.json that holds %j", async (text) => {
    const stateDir = stateFolder();
    writeFileSync(join(stateDir, "waybill.json"), text);
    const dev = await startDev({ stateDir });
    expect(await dev.ended).toBe(1);
    expect(dev.output().trim()).toBe(
      `${stateDir}/waybill.json is damaged. Restore it from a copy, or remove it: the next start then makes a new workspace. The runs of the old workspace stay in ${stateDir}; only its own key opens them.`,
    );
    expect(readFileSync(join(stateDir, "waybill.json"), "utf8")).toBe(text);
  });

  it("a secrets.env without the administrator's key", async () => {
    const stateDir = stateFolder();
    writeFileSync(join(stateDir, "secrets.env"), "");
    const dev = await startDev({ stateDir });
    expect(await dev.ended).toBe(1);
    expect(dev.output().trim()).toMatch(
      /secrets\.env is damaged: it contains no ADMIN_KEY\. Restore it from a copy, or/,
    );
  });

  it("the file of a trace shard, in answers and in the log, while all others are served", async () => {
    const stateDir = stateFolder();
    const first = await startDev({ stateDir });
    let config = await untilListening(first);
    expect((await send(config, "broken")).status).toBe(202);
    const [file = "none"] = shardFiles(stateDir);
    expect((await send(config, "whole")).status).toBe(202);
    const projects = (await (await askerOf(config)("GET", "/sessions")).json()) as readonly {
      id: string;
      name: string;
    }[];
    const broken = projects.find(({ name }) => name === "broken")?.id;
    first.child.kill("SIGTERM");
    await first.ended;
    damage(join(stateDir, SHARDS, file));
    const second = await startDev({ stateDir });
    config = await untilListening(second);
    const ask = askerOf(config);
    const storage = `Storage of trace/${config.workspace_id}/${broken}/${DAY}/0 (${file}) cannot be opened`;
    const refused = await send(config, "broken");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "10"]);
    expect(await refused.text()).toContain(storage);
    expect(await (await ask("POST", "/runs/query", { session: [broken], select: ["id"] })).text()).toContain(storage);
    const log = () => readFileSync(join(stateDir, "wrangler.log"), "utf8");
    await expect.poll(log).toContain(`"message":"Storage of trace/${config.workspace_id}/${broken}`);
    expect((await send(config, "whole")).status).toBe(202);
    const shown = (await (await ask("GET", "/sessions?include_stats=true")).json()) as readonly object[];
    expect(shown).toMatchObject([
      { name: "whole", run_count: 2 },
      { name: "broken", run_count: null },
    ]);
  });
});

function mayMount(): boolean {
  try {
    execFileSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Names of the files of trace shards. */
const shardFiles = (stateDir: string): readonly string[] =>
  readdirSync(join(stateDir, SHARDS)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));

const SHARDS = "state/v3/do/waybill-TraceShardActor";
const PAGE_BYTES = 4096;

/** Overwrites all pages of a database but the first. */
const damage = (path: string): void => {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const file = openSync(path, "r+");
  const bytes = statSync(path).size - PAGE_BYTES;
  writeSync(file, randomBytes(bytes), 0, bytes, PAGE_BYTES);
  closeSync(file);
};
