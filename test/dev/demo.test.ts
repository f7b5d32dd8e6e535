import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { search } from "../support/secrets/leaks.ts";

it("npm run demo reads back as many runs as it sent, and shows a schedule, a cancelled export and a history", async () => {
  // A failure ends the demo with another code than 0, which rejects.
  const { stdout } = await promisify(execFile)(process.execPath, ["dev/demo.ts"]);
  search(stdout, "what it prints");
  const counts = /^(\d+) runs sent, (\d+) rows read back: equal\.$/m.exec(stdout);
  expect(Number(counts?.[1])).toBeGreaterThan(300);
  expect(counts?.[2]).toBe(counts?.[1]);
  expect(stdout).toContain("small-model-1");
  expect(stdout).toMatch(/^ .* of \w{8} +COMPLETED +\d+$/m);
  expect(stdout).toMatch(/^ .* one-off +CANCELLED +\d+$/m);
  expect(stdout).toMatch(/^ +0\.000 s +ExportCreated$/m);
  expect(stdout).toMatch(/^ +\d+\.\d{3} s +ExportCompleted$/m);
  const files = /^The files stay in (\S+);/m.exec(stdout)?.[1] ?? "";
  expect(existsSync(files)).toBe(true);
  rmSync(files.replace(/\/bucket$/, ""), { recursive: true });
});
