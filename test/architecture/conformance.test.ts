import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, textOf } from "./source-files.ts";

const SPECIFICATION = "docs/specification.md";
const TABLE = "test/conformance/README.md";

/** A clause is defined where its id begins a list item or a row of a table. */
const DEFINITION = /^(?:- |\| )\*\*([A-Z]{3}-\d+)\*\*/gm;
/** A citation: `[EXP-12]`, or several ids in one pair of brackets. */
const CITATION = /\[([A-Z]{3}-\d+(?:, [A-Z]{3}-\d+)*)\]/g;
const CLAUSES = /^[A-Z]{3}-\d+(?:, [A-Z]{3}-\d+)*$/;

/** A citation of a document outside of the repository: by the number of its section. */
const FOREIGN = /[( ](?:spec|design|section) [AB]?\d|[(]reference:/;

/** The folders whose citations are checked. */
const CITING = ["src", "durable", "test", "dev", "docs", "examples", "bench"];
const CITING_FILES = ["README.md", "wrangler.toml"];
const CITING_KINDS = /\.(?:ts|mjs|md|sql)$/;

const specification = textOf(SPECIFICATION);
const defined = [...specification.matchAll(DEFINITION)].map(([, id = ""]) => id);
const known: ReadonlySet<string> = new Set(defined);

const citedIn = (text: string): readonly string[] =>
  [...text.matchAll(CITATION)].flatMap(([, ids = ""]) => ids.split(", "));

/** Rows of the table: `| clauses | file | title |`. Cautions that belong to no clause have words in the first cell. */
const rows = [...textOf(TABLE).matchAll(/^\| (?<what>.+) \| `(?<file>[^`]+)` \| (?<title>.+) \|$/gm)]
  .map(({ groups }) => ({ what: groups?.what ?? "", file: groups?.file ?? "", title: groups?.title ?? "" }))
  .map((row) => ({ ...row, title: row.title.replaceAll("\\|", "|") }));
const shown = rows.flatMap(({ what }) => (CLAUSES.test(what) ? what.split(", ") : []));

describe("the specification", () => {
  it("gives each clause a unique id", () => {
    expect(defined.length).toBeGreaterThan(0);
    expect(defined.filter((id, at) => defined.indexOf(id) !== at)).toEqual([]);
  });

  it("has a test for each clause in the table of conformance, or names it among its deviations", () => {
    const [, deviations = ""] = specification.split("\n## Known deviations\n");
    const accounted = new Set([...shown, ...citedIn(deviations)]);
    expect(defined.filter((id) => !accounted.has(id))).toEqual([]);
  });

  it("defines every clause that is cited", () => {
    const wrong = citingFiles().flatMap((file) =>
      citedIn(textOf(file)).flatMap((id) => (known.has(id) ? [] : [`${file} cites ${id}`])),
    );
    expect([...wrong, ...shown.filter((id) => !known.has(id)).map((id) => `${TABLE} cites ${id}`)]).toEqual([]);
  });

  it("names decisions that have a file", () => {
    const named = [...specification.matchAll(/\]\((adr\/[^)]+\.md)\)/g)].map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(join(ROOT, "docs", path)))).toEqual([]);
  });

  it("is the only cited specification", () => {
    const foreign = citingFiles().flatMap((file) => {
      const lines = textOf(file).split("\n");
      return lines.flatMap((line, at) => (FOREIGN.test(line) ? [`${file}:${at + 1}`] : []));
    });
    expect(foreign).toEqual([]);
  });
});

it("each test that the table of conformance names exists", () => {
  const absent = rows.filter(
    ({ file, title }) => !existsSync(join(ROOT, file)) || !textOf(file).includes(`"${title}"`),
  );
  expect(absent).toEqual([]);
});

function citingFiles(): readonly string[] {
  const below = CITING.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && CITING_KINDS.test(entry.name) && !entry.parentPath.includes("node_modules"))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
  );
  return [...below, ...CITING_FILES];
}
