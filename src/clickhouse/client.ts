import type { TableSource } from "../domain/project/clickhouse-binding.ts";
import type { ExportField } from "../domain/run/columns.ts";
import { ALL_FIELDS } from "../domain/run/fields.ts";
import type { SourceFailure } from "../domain/shared/failures.ts";
import { publicAddress } from "../domain/shared/public-address.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { columnOf } from "./columns.ts";
import { type Expected, exchange, type Session } from "./exchange.ts";
import { sourceFailure } from "./failures.ts";
import { type LineReader, readLines } from "./lines.ts";
import {
  checkQuery,
  clockQuery,
  daysQuery,
  type PageBounds,
  pageQuery,
  pagesQuery,
  type Query,
  type Scope,
} from "./queries.ts";
import { clockIn, dayIn, pageIn, type TableDay } from "./replies.ts";

/** A customer's ClickHouse table, read over the HTTP interface. Each call is one request; retries are up to the caller. */
export interface ClickHouseTable {
  /** Whether all columns can be read; reads no row. */
  check(): Promise<Result<null, SourceFailure>>;
  /** The time by the server's clock, in epoch microseconds; null: the table has no insertion times. */
  now(): Promise<Result<number | null, SourceFailure>>;
  /**
   * Cuts the rows of a scope into pages of about `pageBytes` uncompressed bytes in the fields. A page exceeds that by
   * one run at most; otherwise the answer is `row_too_large`.
   */
  pages(scope: PageScope, pageBytes: number): Promise<Result<readonly PageBounds[], SourceFailure>>;
  /** One page as a Parquet file of one row group. `reserve` is awaited before it is read into memory. */
  page(scope: PageScope, bounds: PageBounds, reserve: () => Promise<void>): Promise<Result<Uint8Array, SourceFailure>>;
  /** The days of the scope that have rows, in order. */
  days(scope: PageScope): Promise<Result<readonly TableDay[], SourceFailure>>;
}

/** Rows of the table, and the fields to read of them. */
export interface PageScope extends Omit<Scope, "source"> {
  readonly fields: readonly ExportField[];
}

/** Deadline of a query. A page takes seconds; cutting a day of a hundred million rows takes a minute or two [LIM-21]. */
const QUERY_DEADLINE_MS = 300_000;

/** Longest answer in lines: MAX_LINES of lines.ts. */
const LINES_BYTES = 16 * 1024 * 1024;

/** Longest run, as for ingest (src/trace). A page exceeds its size by one run at most. */
const MAX_RUN_BYTES = 24 * 1024 * 1024;

/** Parquet overhead of a page: page headers and the footer. */
const PARQUET_SLACK_BYTES = 1024 * 1024;

/** Checks the address of the server. Sends no request. */
export function openClickHouse(
  source: TableSource,
  password: string,
  options: {
    readonly allowLoopback: boolean;
    readonly timeoutMs?: number;
    readonly fetch?: typeof fetch;
    /** Ends every query when it aborts. */
    readonly giveUp?: AbortSignal;
  },
): Result<ClickHouseTable, SourceFailure> {
  const url = publicAddress(source.url, {
    member: "url",
    example: "https://clickhouse.example.com:8443",
    allowLoopback: options.allowLoopback,
  });
  if (!url.ok) return fail(sourceFailure("invalid_url", url.failure));
  const session: Session = {
    url: url.value,
    user: source.user,
    password,
    timeoutMs: options.timeoutMs ?? QUERY_DEADLINE_MS,
    giveUp: options.giveUp ?? null,
    fetch: options.fetch ?? ((...request) => fetch(...request)),
  };
  return ok({
    async check() {
      const checked = await exchange(session, checkQuery({ ...EVERYTHING, source }, ALL_FIELDS), LINES);
      return checked.ok ? ok(null) : checked;
    },
    async now() {
      if (columnOf(source, "ingested_at") === null) return ok(null);
      const clock = await linesOf(session, clockQuery(), clockIn);
      if (!clock.ok) return clock;
      const [instant] = clock.value;
      return instant === undefined ? fail(sourceFailure("unexpected_answer")) : ok(instant);
    },
    async pages({ fields, ...scope }, pageBytes) {
      const pages = await linesOf(session, pagesQuery({ ...scope, source }, fields, pageBytes), pageIn);
      if (!pages.ok) return pages;
      const isTooLarge = pages.value.some(
        ({ bytes, longestRowBytes }) => longestRowBytes > MAX_RUN_BYTES || bytes > pageBytes + MAX_RUN_BYTES,
      );
      return isTooLarge ? fail(sourceFailure("row_too_large")) : pages;
    },
    page: ({ fields, ...scope }, bounds, reserve) =>
      exchange(session, pageQuery({ ...scope, source }, fields, bounds), {
        limitBytes: bounds.bytes + PARQUET_SLACK_BYTES,
        isWhole: isParquet,
        reserve,
      }),
    days: ({ fields, ...scope }) => linesOf(session, daysQuery({ ...scope, source }, fields), dayIn(scope)),
  });
}

const EVERYTHING = {
  tenantId: "",
  projectId: "",
  start: 0,
  end: 1,
  ingested: { from: 0, before: 0 },
  filter: null,
} as const;

const linesOf = async <T>(
  session: Session,
  query: Query,
  read: LineReader<T>,
): Promise<Result<readonly T[], SourceFailure>> => {
  const body = await exchange(session, query, LINES);
  if (!body.ok) return body;
  const lines = readLines(body.value, read);
  return lines === null ? fail(sourceFailure("unexpected_answer")) : ok(lines);
};

const LINE_END = [0x5d, 0x0a]; // ]\n
const PARQUET_MAGIC = [0x50, 0x41, 0x52, 0x31]; // PAR1

const endsWith = (body: Uint8Array, end: readonly number[]): boolean =>
  body.length >= end.length && end.every((byte, index) => body[body.length - end.length + index] === byte);

const LINES: Expected = {
  limitBytes: LINES_BYTES,
  isWhole: (body) => body.length === 0 || endsWith(body, LINE_END),
  reserve: async () => {},
};

const isParquet = (body: Uint8Array): boolean => endsWith(body, PARQUET_MAGIC);
