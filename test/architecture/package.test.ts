import { describe, expect, it } from "vitest";
import { missingIn } from "../../dev/requirements.mjs";
import { DOCUMENTS } from "./documents.ts";
import { filesBelow, importsOf, textOf } from "./source-files.ts";

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

const project: Package = JSON.parse(textOf("package.json"));
const bench: Pick<Package, "dependencies"> = JSON.parse(textOf("bench/package.json"));

/** Dependencies that no file imports: they are run, provide types, or are peers of @hono/zod-openapi. */
const RUN_ONLY = [
  "hono",
  "zod",
  "@biomejs/biome",
  "@cloudflare/workers-types",
  "@types/node",
  "node",
  "typescript",
  "wrangler",
];

const used = new Set(
  ["src", "durable", "test", "dev", "bench"]
    .flatMap(filesBelow)
    .flatMap(importsOf)
    .filter((one) => !one.isOwn)
    .map((one) => one.to),
);
const isUsed = (name: string) => [...used].some((to) => to === name || to.startsWith(`${name}/`));

describe("package.json", () => {
  it("pins exact versions", () => {
    const versions = { ...project.dependencies, ...project.devDependencies, ...bench.dependencies };
    const loose = Object.entries(versions).filter(([, v]) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(v));
    expect(loose).toEqual([]);
  });

  it("has no unused dependency", () => {
    const names = [...Object.keys(project.dependencies), ...Object.keys(project.devDependencies)];
    expect(names.filter((name) => !RUN_ONLY.includes(name) && !isUsed(name))).toEqual([]);
  });

  it("has every command that a document names", () => {
    const named = DOCUMENTS.flatMap((document) => [...textOf(document).matchAll(/npm run ([\w:]+)/g)]);
    const names = [...new Set(named.map(([, name = ""]) => name))];
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => project.scripts[name] === undefined)).toEqual([]);
  });

  it("leaves chdb, 543 MB, to the bench", () => {
    expect({ ...project.dependencies, ...project.devDependencies }).not.toHaveProperty("chdb");
    expect(bench.dependencies).toHaveProperty("chdb");
  });
});

describe("the repository", () => {
  it("names the same Node version in .nvmrc, in package.json and in the error for an older Node", () => {
    const [major] = (project.devDependencies.node ?? "").split(".");
    expect(textOf(".nvmrc").trim()).toBe(major);
    expect(missingIn({ nodeVersion: "1.0.0", isInstalled: true })).toContain(`Waybill needs Node ${major},`);
  });

  it("has one workerd for development and tests", () => {
    const lock = JSON.parse(textOf("package-lock.json"));
    const copies = Object.keys(lock.packages).filter((path) => /(^|\/)node_modules\/workerd$/.test(path));
    expect(copies).toEqual(["node_modules/workerd"]);
  });
});
