import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT, textOf } from "./source-files.ts";

/** Rows of test/conformance/README.md: `| clause | file | title |`. */
const rows = [
  ...textOf("test/conformance/README.md").matchAll(/^\| (?<clause>.+) \| `(?<file>[^`]+)` \| (?<title>.+) \|$/gm),
]
  .map(({ groups }) => ({ clause: groups?.clause ?? "", file: groups?.file ?? "", title: groups?.title ?? "" }))
  .map((row) => ({ ...row, title: row.title.replaceAll("\\|", "|") }));

it("each clause of sections 2.1 to 2.3, 2.6, 2.7, 3, 4, 5, 7 and 8 is in the table of conformance", () => {
  const sections = new Set(rows.map(({ clause }) => clause.split(" ")[0]));
  for (const section of ["2.1", "2.6", "2.7", "3", "4.A", "4.B", "5", "7.1", "7.2", "7.3", "7.4", "7.5", "8"])
    expect(sections).toContain(section);
});

it.each(rows)("$clause is shown by $file: $title", ({ file, title }) => {
  expect(existsSync(join(ROOT, file)), file).toBe(true);
  expect(textOf(file)).toContain(`"${title}"`);
});
