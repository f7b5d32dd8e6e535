import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT, textOf } from "./source-files.ts";

const FOLDERS = ["docs", "test", "examples", "bench"];

/** Every Markdown document of the repository, as paths from its root. */
export const DOCUMENTS: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md") && !entry.parentPath.includes("node_modules"))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
  ),
];

/** A fenced block of a document. */
export interface CodeBlock {
  readonly document: string;
  /** Number of the line after the fence, from 1. */
  readonly line: number;
  /** Language after the fence, for example `sh`; empty: none. */
  readonly language: string;
  /** The lines between the fences. */
  readonly text: string;
}

/** The fenced blocks of a document, in order. */
export function codeBlocks(document: string): readonly CodeBlock[] {
  const text = textOf(document);
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = "", 2: block = "" }) => ({
    document,
    line: text.slice(0, index).split("\n").length + 1,
    language,
    text: block,
  }));
}

/** A document without its fenced blocks: prose, tables and links. */
export const proseOf = (document: string): string => textOf(document).replaceAll(/^```.*?^```$/gms, "");
