import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuckDB } from "../../../dev/duckdb.ts";
import { type CodeBlock, codeBlocks, DOCUMENTS } from "../../architecture/documents.ts";
import { type OwnWaybill, startOwnWaybill } from "../../support/own-waybill.ts";
import { type Checkout, openCheckout } from "./checkout.ts";
import { NOT_RUN, type NotRun } from "./not-run.ts";

/** Documents with commands for people. The commands of a document run in order, in one shell. */
const WITH_COMMANDS = /^(?:README\.md|CONTRIBUTING\.md|docs\/(?:guide|operations)\/.*|docs\/performance\.md)$/;
/** Sets up the shell of all documents except README.md, which newcomers read alone. */
const SHELL = "docs/guide/README.md";
const READING = "docs/guide/reading.md";

const blocks = DOCUMENTS.filter((document) => WITH_COMMANDS.test(document)).flatMap(codeBlocks);
const isException =
  ({ document, text }: CodeBlock) =>
  (one: NotRun) =>
    one.document === document && text.startsWith(one.begins);

const runnable = (document: string, language: string): readonly CodeBlock[] =>
  blocks.filter(
    (block) => block.document === document && block.language === language && !NOT_RUN.some(isException(block)),
  );
const scriptOf = (document: string): string => {
  const setUp = document === "README.md" || document === SHELL ? [] : runnable(SHELL, "sh");
  return [...setUp, ...runnable(document, "sh")].map(({ text }) => text).join("\n");
};
const documents = [...new Set(blocks.map(({ document }) => document))].filter(
  (document) => runnable(document, "sh").length > 0,
);

let waybill: OwnWaybill;
beforeAll(async () => {
  waybill = await startOwnWaybill();
});
afterAll(() => waybill?.stop());

const checkout = (name: string): Promise<Checkout> => openCheckout(waybill.config, join(waybill.folder, name));

describe("The commands of a document work in order against a local service", () => {
  it.each(documents)("%s", async (document) => {
    const { run } = await checkout(document.replaceAll("/", "-"));
    await run(scriptOf(document));
  });
});

it("The queries of the guide to reading return rows of the export of the README", async () => {
  const { folder, run } = await checkout("reading");
  await run(scriptOf("README.md"));
  // In the guide the prefix is called `waybill`.
  cpSync(join(folder, ".dev/bucket/traces"), join(folder, "waybill"), { recursive: true });
  const duckdb = await openDuckDB();
  try {
    await duckdb.rows(`SET file_search_path = '${folder}'`);
    const queries = [...runnable(READING, "sql"), ...runnable("README.md", "sql")];
    expect(queries.length).toBe(3);
    for (const { text } of queries) expect((await duckdb.rows(text)).length).toBeGreaterThan(0);
  } finally {
    duckdb.close();
  }
});

describe("Blocks that are not run", () => {
  it("are in the list, each found once", () => {
    const found = NOT_RUN.map((one) => blocks.filter((block) => isException(block)(one)).length);
    expect(NOT_RUN.filter((_, at) => found[at] !== 1)).toEqual([]);
  });

  it("have a language that no test runs: output and Python", () => {
    const languages = new Set(blocks.map(({ language }) => language));
    expect([...languages].toSorted()).toEqual(["python", "sh", "sql", "text"]);
    const sql = blocks.filter((block) => block.language === "sql" && !NOT_RUN.some(isException(block)));
    expect(sql.filter(({ document }) => ![READING, "README.md"].includes(document))).toEqual([]);
  });
});
