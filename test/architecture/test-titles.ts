import { textOf } from "./source-files.ts";

export interface TestTitle {
  /** Title of the test. */
  readonly own: string;
  /** Titles of the suites around it, then its own, as in test reports. */
  readonly full: string;
}

/** A call of `describe`, `it` or `test` in formatted source, at the line that holds its title or begins its table. */
const CALL = /^( *)(describe|it|test)(?:\.\w+)*(?:<.*>)?\(/;
const TITLE = /^\s*(?:describe|it|test)[\w.]*\(\s*("(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/;
/** The end of a table, and the title behind it. */
const TITLE_AFTER_TABLE = /\)\(\s*("(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/;

/** The titles of all tests of a file, whose source biome has formatted; placeholders such as `%s` stay. */
export function titlesOf(file: string): readonly TestTitle[] {
  const lines = textOf(file).split("\n");
  const suites: { readonly indent: number; readonly title: string }[] = [];
  const found: TestTitle[] = [];
  for (const [at, line] of lines.entries()) {
    const call = CALL.exec(line);
    if (call === null) continue;
    const indent = call[1]?.length ?? 0;
    const own = titleAt(lines, at, indent);
    while ((suites.at(-1)?.indent ?? -1) >= indent) suites.pop();
    if (own === null) throw new Error(`${file}:${at + 1} has no title`);
    const full = [...suites.map(({ title }) => title), own].join(" ");
    if (call[2] === "describe") suites.push({ indent, title: own });
    else found.push({ own, full });
  }
  return found;
}

const titleAt = (lines: readonly string[], at: number, indent: number): string | null => {
  // The call ends at the first line that is indented no more than it.
  const end = lines.findIndex((line, n) => n > at && line !== "" && line.search(/\S/) <= indent);
  const own = TITLE.exec(lines.slice(at, at + 2).join("\n"));
  if (own !== null) return unquoted(own[1]);
  for (const [from, to] of [
    [at, at + 1],
    [end, end + 1],
    [end, end + 2],
    [at, at + 2],
  ]) {
    const title = TITLE_AFTER_TABLE.exec(lines.slice(from, to).join("\n"));
    if (title !== null) return unquoted(title[1]);
  }
  return null;
};

const unquoted = (literal = ""): string => literal.slice(1, -1).replaceAll(/\\(.)/g, "$1");
