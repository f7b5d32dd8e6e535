import { execFile, execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../dev/ports.ts";
import { isPortFree, processesNaming, startDev, stateFolder, stopAll, untilListening } from "./dev-process.ts";

afterEach(stopAll);

describe("npm run dev", () => {
  it("writes a private waybill.json with all that a client needs, and its key works", async () => {
    const dev = await startDev();
    const config = await untilListening(dev);
    const path = join(dev.stateDir, "waybill.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(config.url).toBe(`http://127.0.0.1:${dev.port}`);
    expect(Object.keys(config).toSorted()).toEqual(["admin_key", "api_key", "s3", "url", "workspace_id"]);
    expect(Object.keys(config.s3)).toEqual([
      "endpoint_url",
      "bucket_name",
      "region",
      "access_key_id",
      "secret_access_key",
    ]);
    const headers = { "X-API-Key": config.api_key, "X-Tenant-Id": config.workspace_id };
    const answer = await fetch(`${config.url}/api/v1/bulk-exports`, { headers });
    expect([answer.status, await answer.json()]).toEqual([200, []]);
    for (const shown of [config.url, config.workspace_id, config.api_key]) expect(dev.output()).toContain(shown);
    expect(dev.output()).not.toContain(config.admin_key);
  });

  it("prints commands that work in a shell one after the other", async () => {
    const dev = await startDev();
    const config = await untilListening(dev);
    const lines = dev.output().split("\n");
    const commands = lines.filter((line) => /^ {2}(curl|DESTINATION=|PROJECT=)/.test(line));
    expect(commands.length).toBe(3);
    const { stdout } = await promisify(execFile)("bash", ["-e", "-c", commands.join("\n")]);
    const headers = { "X-API-Key": config.api_key, "X-Tenant-Id": config.workspace_id };
    const exports = (await (await fetch(`${config.url}/api/v1/bulk-exports`, { headers })).json()) as { id: string }[];
    expect(exports).toMatchObject([{ status: "COMPLETED", rows_written: 1 }]);
    expect(stdout).toContain(exports[0]?.id);
  });

  it("keeps workspace, key and data over a restart", async () => {
    const stateDir = stateFolder();
    const first = await startDev({ stateDir });
    const before = await untilListening(first);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    const after = await untilListening(await startDev({ stateDir }));
    expect([after.workspace_id, after.api_key]).toEqual([before.workspace_id, before.api_key]);
  });

  it("keeps workspace and key over a restart, also if its plan was changed", async () => {
    const stateDir = stateFolder();
    const first = await startDev({ stateDir });
    const before = await untilListening(first);
    const changed = await fetch(`${before.url}/admin/workspaces/${before.workspace_id}`, {
      method: "PATCH",
      headers: { Authorization: `Bearer ${before.admin_key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ plan: "developer" }),
    });
    expect(changed.status).toBe(200);
    first.child.kill("SIGTERM");
    await first.ended;
    const after = await untilListening(await startDev({ stateDir }));
    expect([after.workspace_id, after.api_key]).toEqual([before.workspace_id, before.api_key]);
  });

  it("runs concurrently with another one that has its own port and state", async () => {
    const [one, other] = await Promise.all([startDev(), startDev()]);
    const [first, second] = await Promise.all([untilListening(one), untilListening(other)]);
    expect(first.workspace_id).not.toBe(second.workspace_id);
    const headers = { "X-API-Key": first.api_key, "X-Tenant-Id": first.workspace_id };
    expect((await fetch(`${first.url}/api/v1/bulk-exports`, { headers })).status).toBe(200);
    expect((await fetch(`${second.url}/api/v1/bulk-exports`, { headers })).status).toBe(401);
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends on %s with all its processes, and the port is free again",
    async (signal) => {
      const dev = await startDev();
      await untilListening(dev);
      expect(processesNaming(dev.stateDir).length).toBeGreaterThan(0);
      dev.child.kill(signal);
      expect(await dev.ended).toBe(0);
      expect(await isPortFree(dev.port)).toBe(true);
      expect(processesNaming(dev.stateDir)).toEqual([]);
    },
  );

  it("leaves no process running when it is killed", async () => {
    const dev = await startDev();
    await untilListening(dev);
    dev.child.kill("SIGKILL");
    await dev.ended;
    await expect.poll(() => processesNaming(dev.stateDir)).toEqual([]);
    await expect.poll(() => isPortFree(dev.port)).toBe(true);
  });
});

describe("npm run dev prints the reason when it does not start:", () => {
  it("a port that is taken", async () => {
    const server = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const dev = await startDev({ port });
    expect(await dev.ended).toBe(1);
    expect(dev.output().trim()).toBe(
      `Port ${port} is taken by another program. Stop it, or choose another with PORT=8788.`,
    );
    server.close();
  });

  it("a port that is not valid", async () => {
    const dev = await startDev({ settings: {}, port: 99_999 });
    expect(await dev.ended).toBe(1);
    expect(dev.output().trim()).toBe('PORT must be a number from 1 to 65535, not "99999".');
  });

  it("a state directory that is in use", async () => {
    const first = await startDev();
    await untilListening(first);
    const second = await startDev({ stateDir: first.stateDir });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`${first.stateDir} is in use by process ${first.child.pid}.`);
  });

  it("a state directory that is a file", async () => {
    const dev = await startDev({ stateDir: join(import.meta.dirname, "dev.test.ts") });
    expect(await dev.ended).toBe(1);
    expect(dev.output().trim()).toMatch(
      /^The state directory \S+dev\.test\.ts cannot be written \(EEXIST\)\. Choose another/,
    );
  });

  it("a setting that the service refuses", async () => {
    const dev = await startDev({ settings: { WIRE_PROFILE: "other" } });
    expect(await dev.ended).toBe(1);
    expect(dev.output().trim()).toBe('Setting WIRE_PROFILE must be one of "spec", "langsmith"; it is "other".');
  });
});

it("An empty STATE_DIR counts as absent: no secret is written beside the sources", () => {
  const { STATE_DIR: _, ...others } = process.env;
  const directoryOf = (env: NodeJS.ProcessEnv): string =>
    execFileSync(process.execPath, ["-p", "require('./dev/config.ts').stateDirectory()"], { env, encoding: "utf8" });
  expect([directoryOf(others), directoryOf({ ...others, STATE_DIR: "" })]).toEqual([".dev\n", ".dev\n"]);
});

it("Settings in the environment reach the service by their upper-case names", async () => {
  const dev = await startDev({ settings: { WIRE_PROFILE: "langsmith" } });
  const { url } = await untilListening(dev);
  const document = await (await fetch(`${url}/openapi.json`)).text();
  expect(document).toContain("IntervalScheduled");
});
