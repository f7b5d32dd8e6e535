import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, type Import, importsOf, ROOT, textOf } from "./source-files.ts";

/** Who may import whom; the longest matching path is a file's layer. Outside packages stand behind `uses`. */
const LAYERS: readonly {
  readonly path: string;
  readonly imports: readonly string[];
  readonly uses: readonly string[];
}[] = [
  { path: "src/domain/shared/decider.ts", imports: [], uses: [] },
  { path: "src/domain/", imports: ["src/domain/shared/decider.ts"], uses: [] },
  { path: "src/log.ts", imports: [], uses: [] },
  { path: "src/net/bounded-body.ts", imports: [], uses: [] },
  { path: "src/net/deadline.ts", imports: [], uses: [] },
  { path: "src/net/edge-status.ts", imports: [], uses: [] },
  { path: "src/json/bytes.ts", imports: [], uses: [] },
  { path: "src/settings.ts", imports: ["src/domain/"], uses: [] },
  { path: "src/filter/", imports: ["src/domain/", "src/json/bytes.ts"], uses: [] },
  {
    path: "src/source/",
    imports: ["src/net/bounded-body.ts", "src/net/deadline.ts", "src/domain/", "src/net/edge-status.ts", "src/filter/"],
    uses: [],
  },
  { path: "src/agent/", imports: ["src/domain/"], uses: ["node:zlib"] },
  {
    path: "src/parquet/",
    imports: ["src/domain/", "src/filter/"],
    uses: ["hyparquet", "hyparquet-writer", "node:zlib"],
  },
  {
    path: "src/s3/",
    imports: ["src/net/bounded-body.ts", "src/net/deadline.ts", "src/domain/", "src/net/edge-status.ts"],
    uses: ["aws4fetch", "node:crypto"],
  },
  {
    path: "src/oauth/",
    imports: ["src/net/bounded-body.ts", "src/net/deadline.ts", "src/domain/", "src/net/edge-status.ts"],
    uses: ["oauth4webapi"],
  },
  { path: "src/secrets/", imports: ["src/domain/"], uses: ["node:crypto"] },
  {
    path: "src/trace/",
    imports: ["src/domain/", "src/filter/", "src/json/bytes.ts", "src/parquet/row.ts"],
    uses: ["node:buffer", "node:crypto", "node:stream", "node:zlib"],
  },
  {
    path: "durable/",
    imports: [
      "src/domain/shared/decider.ts",
      "src/net/bounded-body.ts",
      "src/net/deadline.ts",
      "src/domain/",
      "src/filter/",
      "src/log.ts",
      "src/settings.ts",
      "src/source/",
      "src/oauth/",
      "src/agent/",
      "src/parquet/",
      "src/s3/",
      "src/secrets/",
      "src/trace/",
    ],
    uses: ["cloudflare:workers", "itty-durable", "node:crypto"],
  },
  {
    path: "src/http/",
    imports: [
      "src/net/bounded-body.ts",
      "src/domain/",
      "src/filter/parse/index.ts",
      "src/log.ts",
      "src/settings.ts",
      "src/oauth/scopes.ts",
      "src/s3/failures.ts",
      "src/secrets/",
      "src/trace/",
      "src/agent/limits.ts",
      "durable/protocol/actors.ts",
      "durable/protocol/deployment.ts",
      "durable/worker/serve-agent.ts",
      "durable/worker/uploads.ts",
      "durable/protocol/env.ts",
      "durable/worker/estimate.ts",
      "durable/worker/feedback.ts",
      "durable/protocol/oauth.ts",
      "durable/worker/ingest.ts",
      "durable/worker/project-statistics.ts",
      "durable/secrets/oauth-state.ts",
      "durable/protocol/list-batch.ts",
      "durable/protocol/protocol.ts",
      "durable/worker/query/query.ts",
      "durable/source/clickhouse/estimate.ts",
    ],
    uses: ["hono", "@hono/zod-openapi", "zod"],
  },
  {
    path: "src/http/agent-network.ts",
    imports: [
      "src/http/app.ts",
      "src/http/kernel/problems.ts",
      "durable/deployment/edge-plane.ts",
      "durable/protocol/env.ts",
    ],
    uses: ["cloudflare:workers"],
  },
  { path: "src/index.ts", imports: ["src/http/", "src/http/agent-network.ts", "durable/"], uses: [] },
];

const files = [...filesBelow("src"), ...filesBelow("durable")];
const imports = files.flatMap(importsOf);

const layerOf = (file: string) =>
  LAYERS.filter((layer) => file.startsWith(layer.path)).sort((a, b) => b.path.length - a.path.length)[0];

const packageOf = (specifier: string): string =>
  specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : (specifier.split("/")[0] ?? "");

function isAllowed({ from, to, isOwn }: Import): boolean {
  const layer = layerOf(from);
  if (layer === undefined) return false;
  if (!isOwn) return layer.uses.includes(packageOf(to));
  return to.startsWith(layer.path) || layer.imports.some((path) => to.startsWith(path));
}

describe("layers", () => {
  it("cover every source file", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => layerOf(file) === undefined)).toEqual([]);
  });

  it("are imported in one direction only", () => {
    expect(imports.length).toBeGreaterThan(files.length);
    expect(imports.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("are named by relative paths that exist", () => {
    const own = imports.filter((one) => one.isOwn);
    expect(own.filter((one) => !existsSync(join(ROOT, one.to))).map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("form no cycle, types included", () => {
    const next = new Map<string, readonly string[]>(
      files.map((file) => [file, importsOf(file).flatMap((one) => (one.isOwn ? [one.to] : []))]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
      if (done.has(file) || path.includes(file)) return;
      for (const to of next.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it("leave the clock, dice and network out of the domain", () => {
    const forbidden = /Date\.now|Math\.random|crypto\.|\bfetch\(|new Date\(\)/;
    const guilty = filesBelow("src/domain").filter((file) => forbidden.test(textOf(file)));
    expect(guilty).toEqual([]);
  });
});
