import { expect, it } from "vitest";
import { openClickHouse, type PageScope } from "../../src/clickhouse/client.ts";
import { TABLE_COLUMNS, type TableSource } from "../../src/domain/project/clickhouse-binding.ts";
import { ALL_FIELDS } from "../../src/domain/run/fields.ts";
import { MAX_COMPARISONS } from "../../src/filter/limits.ts";
import { filterOf } from "../filter/runs.ts";
import { tableSource } from "../support/samples.ts";

/** Exceptions where ClickHouse's HTTP interface puts them: before the response, inside it and after it. */

const DAY: PageScope = {
  tenantId: "t",
  projectId: "p",
  start: 0,
  end: 1,
  ingested: null,
  filter: null,
  fields: ["id", "start_time"],
};

const LINE = '["1","id","1","9","9"]\n';
const TEXT = "Code: 241. DB::Exception: (total) memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)";
const TAG = "rnywyenyaugorwqr";

const askPages = async (
  status: number,
  headers: Record<string, string>,
  body: string,
  { source = tableSource, scope = DAY }: { readonly source?: TableSource; readonly scope?: PageScope } = {},
) => {
  const requests: { url: URL; form: FormData }[] = [];
  const table = openClickHouse(source, "secret", {
    allowLoopback: false,
    fetch: async (url, init) => {
      requests.push({ url: new URL(String(url)), form: await new Request(String(url), init).formData() });
      return new Response(body, { status, headers });
    },
  });
  if (!table.ok) throw new Error(table.failure.advice);
  const pages = await table.value.pages(scope, 1000);
  return { pages, search: requests[0]?.url.searchParams, form: requests[0]?.form };
};

it("a query asks the server to buffer the response until it has finished, and to stop when the client disconnects", async () => {
  const { pages, search } = await askPages(200, {}, LINE);
  expect(pages).toMatchObject({ ok: true, value: [{ rows: 1 }] });
  expect(search?.get("wait_end_of_query")).toBe("1");
  expect(search?.get("cancel_http_readonly_queries_on_client_close")).toBe("1");
});

it("a query and its parameters are form fields, and none of them is in the URL", async () => {
  const filter = filterOf('eq(name,"a\tb")');
  const { search, form } = await askPages(200, {}, LINE, { scope: { ...DAY, filter } });
  expect([...(search?.keys() ?? [])].filter((name) => /query$|^param_/.test(name))).toEqual(["wait_end_of_query"]);
  expect(form?.get("query")).toMatch(/^SELECT .* FORMAT JSONCompactEachRow$/);
  expect(form?.get("param_project")).toBe("p");
  expect(form?.get("param_p1")).toBe("a\\tb");
});

it("the longest query fits into the form fields that ClickHouse accepts", async () => {
  const names = Object.fromEntries(TABLE_COLUMNS.map((column) => [column, "x".repeat(128)]));
  const entries = ["input", "output", "metadata"].map((family) => `neq(${family}_value,1)`);
  const scores = Array<string>(MAX_COMPARISONS - entries.length).fill("neq(feedback_score,1)");
  const filter = filterOf(`or(${[...entries, ...scores].join(",")})`);
  const { form } = await askPages(200, {}, LINE, {
    source: { ...tableSource, columns: names },
    scope: { ...DAY, filter, fields: ALL_FIELDS },
  });
  const fields = [...(form?.values() ?? [])];
  expect(fields.length).toBeLessThan(1000);
  for (const field of fields) expect(String(field).length).toBeLessThan(128 * 1024);
});

it.each([
  { title: "before the response", status: 500, headers: { "X-ClickHouse-Exception-Code": "241" }, body: TEXT },
  { title: "by a header beside 200", status: 200, headers: { "X-ClickHouse-Exception-Code": "241" }, body: LINE },
  { title: "before the response, by a proxy that keeps no headers", status: 500, headers: {}, body: TEXT },
  { title: "after the rows, as older servers do", status: 200, headers: {}, body: `${LINE}${TEXT}\n` },
  {
    title: "after the rows, between tags",
    status: 200,
    headers: { "X-ClickHouse-Exception-Tag": TAG },
    body: `${LINE}\r\n__exception__\r\n${TAG}\r\n${TEXT}\n${TEXT.length + 1} ${TAG}\r\n__exception__\r\n`,
  },
  {
    title: "in the form of the rows",
    status: 200,
    headers: {},
    body: `${LINE}${JSON.stringify({ exception: TEXT })}\n`,
  },
])("an exception $title is recognized by its number", async ({ status, headers, body }) => {
  expect((await askPages(status, headers, body)).pages).toMatchObject({
    ok: false,
    failure: { reason: "limit_exceeded", code: 241, status, retryable: true },
  });
});

it("half a row without an exception is not a valid response", async () => {
  expect((await askPages(200, {}, `${LINE}["2",`)).pages).toMatchObject({
    ok: false,
    failure: { reason: "unexpected_answer", code: null, retryable: true },
  });
});

it("a query ends when its caller gives up", async () => {
  const caller = new AbortController();
  const table = openClickHouse(tableSource, "secret", {
    allowLoopback: false,
    giveUp: caller.signal,
    fetch: (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      }),
  });
  if (!table.ok) throw new Error(table.failure.advice);
  const pages = table.value.pages(DAY, 1000);
  caller.abort();
  expect(await pages).toMatchObject({ ok: false, failure: { reason: "network_lost" } });
});
