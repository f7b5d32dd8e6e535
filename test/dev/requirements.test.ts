import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingIn } from "../../dev/requirements.mjs";

const ROOT = join(import.meta.dirname, "../..");

const NEEDS_NODE_24 =
  /^Waybill needs Node 24, and this is Node [\d.]+: run `npm run <script>` or `npm test -- <file>`, which bring their own\.$/;

/** Scripts of package.json that are files of this project. */
const scripts: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts;
const tools = Object.values(scripts).flatMap((script) => /node (\S+\.\S+)$/.exec(script)?.[1] ?? []);

/** The first `node` in PATH that is older than 24; null when there is none. */
const oldNode = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .filter((path) => existsSync(path))
  .find((path) => Number(spawnSync(path, ["-p", "process.versions.node.split('.')[0]"]).stdout) < 24);

describe("the error for missing requirements", () => {
  it.each(["18.20.8", "20.20.2", "22.21.0"])("is one line about Node 24 for Node %s", (nodeVersion) => {
    expect(missingIn({ nodeVersion, isInstalled: true })).toMatch(NEEDS_NODE_24);
  });

  it.each(["24.0.0", "24.21.0", "26.1.0"])("is null for Node %s with the packages installed", (nodeVersion) => {
    expect(missingIn({ nodeVersion, isInstalled: true })).toBeNull();
  });

  it.each(["20.20.2", "24.21.0"])("is about `npm install` without packages, also for Node %s", (nodeVersion) => {
    expect(missingIn({ nodeVersion, isInstalled: false })).toContain("Run `npm install` first.");
  });
});

describe("an outdated Node is refused with one line", () => {
  it("by every tool that package.json starts", () => {
    expect(tools).toEqual(expect.arrayContaining(["dev/dev.mjs", "test/simulation/simulate.mjs", "bench/bench.mjs"]));
    for (const tool of tools)
      expect(readFileSync(join(ROOT, tool), "utf8"), tool).toMatch(
        /^import "(\.\.\/)*(\.\/)?(dev\/)?installed\.mjs";\n/,
      );
  });

  it.for([...tools, "node_modules/vitest/vitest.mjs run --config test/vitest.config.ts"])(
    "by node %s",
    (tool, { skip }) => {
      if (oldNode === undefined) return skip("no Node older than 24 is in PATH");
      const { status, stderr } = spawnSync(oldNode, tool.split(" "), { cwd: ROOT, encoding: "utf8" });
      expect(stderr.trim()).toMatch(NEEDS_NODE_24);
      expect(status).toBe(1);
    },
  );
});
