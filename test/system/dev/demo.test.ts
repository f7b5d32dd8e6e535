import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { search } from "../../support/secrets/leaks.ts";
import { until } from "../../support/until.ts";

it("npm run demo reads back as many runs as it sent, and shows a schedule, a cancelled export and a history", async () => {
  // A failure ends the demo with another exit code than 0, which rejects.
  const { stdout } = await promisify(execFile)(process.execPath, ["dev/demo.mjs"]);
  search(stdout, "what it prints");
  const counts = /^(\d+) runs sent, (\d+) rows read back: equal\.$/m.exec(stdout);
  expect(Number(counts?.[1])).toBeGreaterThan(300);
  expect(counts?.[2]).toBe(counts?.[1]);
  expect(stdout).toContain("small-model-1");
  expect(stdout).toMatch(/^ .* of \w{8} +COMPLETED +\d+$/m);
  expect(stdout).toMatch(/^ .* one-off +CANCELLED +\d+$/m);
  expect(stdout).toMatch(/^ +0\.000 s +ExportCreated$/m);
  expect(stdout).toMatch(/^ +\d+\.\d{3} s +ExportCompleted$/m);
  const files = /^The files are in (\S+);/m.exec(stdout)?.[1] ?? "";
  expect(existsSync(files)).toBe(true);
  rmSync(files.replace(/\/bucket$/, ""), { recursive: true });
});

it.each([
  ["dev/demo.mjs", /waybill-demo-/],
  ["dev/demo-deploy.mjs", /waybill-deploy-/],
])("%s leaves no files, and no secrets, when it is interrupted", async (script, name) => {
  const folder = mkdtempSync(join(tmpdir(), "waybill-interrupted-"));
  const left = () => readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => name.test(path));
  const demo = spawn(process.execPath, [script], { env: { ...process.env, TMPDIR: folder }, stdio: "ignore" });
  const ended = once(demo, "exit");
  await until(async () => left().some((path) => path.endsWith("secrets.env")));
  demo.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  expect(left()).toEqual([]);
  rmSync(folder, { recursive: true });
});
