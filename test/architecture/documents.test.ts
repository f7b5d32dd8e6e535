import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { DOCUMENTS, proseOf } from "./documents.ts";
import { filesBelow, ROOT, textOf } from "./source-files.ts";

/** `[text](target)`, inside or outside of a table. */
const LINK = /\]\(([^)\s]+)\)/g;
/** A path from the root of the repository. */
const PATH = /(?<![\w./-])(?:src|durable|test|dev|bench|docs|examples)\/[\w./-]*\w/g;

const TROUBLESHOOTING = "docs/operations/troubleshooting.md";
const README_MAX_LINES = 150;

const isFile = (path: string): boolean => statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile() ?? false;

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
const anchorsOf = (document: string): readonly string[] =>
  [...proseOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

describe("Documents", () => {
  it("link to files and headings that exist", () => {
    const broken = DOCUMENTS.flatMap((document) =>
      [...proseOf(document).matchAll(LINK)].flatMap(([, target = ""]) => {
        if (/^[a-z]+:/.test(target)) return [];
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? document : normalize(join(dirname(document), path));
        const isThere = existsSync(join(ROOT, file)) && (anchor === undefined || anchorsOf(file).includes(anchor));
        return isThere ? [] : [`${document}: ${target}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it("name files and folders that exist", () => {
    const absent = DOCUMENTS.flatMap((document) =>
      [...textOf(document).matchAll(PATH)].flatMap(([path]) =>
        existsSync(join(ROOT, path)) || isFile(`${path}.ts`) ? [] : [`${document}: ${path}`],
      ),
    );
    expect(absent).toEqual([]);
  });

  it("begin with a README of at most 150 lines", () => {
    expect(textOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(README_MAX_LINES);
  });
});

describe("The guide to troubleshooting", () => {
  const sources = ["src", "durable", "dev"].flatMap(filesBelow).map(textOf);
  /** Texts in the first column; `<...>` is a placeholder for variable text. */
  const errors = [...textOf(TROUBLESHOOTING).matchAll(/^\| `([^`]+)` \| .+ \| .+ \|$/gm)].map(([, text = ""]) => text);

  it("quotes only texts that the source has", () => {
    expect(errors.length).toBeGreaterThan(50);
    const isThere = (text: string): boolean => {
      const parts = text.split("<...>");
      return sources.some((source) => parts.every((part) => source.includes(part)));
    };
    expect(errors.filter((text) => !isThere(text))).toEqual([]);
  });

  it("names only log lines that the source writes", () => {
    const [, log = ""] = textOf(TROUBLESHOOTING).split("\n## The log\n");
    const names = [...log.matchAll(/^\| (`.+`) \| .+ \|$/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !sources.some((source) => source.includes(`"${name}"`)))).toEqual([]);
  });
});
