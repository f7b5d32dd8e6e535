import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("npm run demo sends traces, exports them, reads them back and says that the counts are equal", async () => {
  // A failure ends the demo with another code than 0, which rejects.
  const { stdout } = await promisify(execFile)(process.execPath, ["dev/demo.ts"]);
  const counts = /^(\d+) runs sent, (\d+) rows read back: equal\.$/m.exec(stdout);
  expect(Number(counts?.[1])).toBeGreaterThan(300);
  expect(counts?.[2]).toBe(counts?.[1]);
  expect(stdout).toContain("small-model-1");
  const files = /^The files stay in (\S+);/m.exec(stdout)?.[1] ?? "";
  expect(existsSync(files)).toBe(true);
  rmSync(files.replace(/\/bucket$/, ""), { recursive: true });
});
