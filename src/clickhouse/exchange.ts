import type { SourceFailure } from "../domain/shared/failures.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { boundedBody } from "../net/bounded-body.ts";
import { Deadline } from "../net/deadline.ts";
import { sourceFailureOf } from "./failures.ts";
import type { Query } from "./queries.ts";

/** Shared by all requests to one server. */
export interface Session {
  /** Without a trailing slash. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  /** Ends every query when it aborts; null: nothing does. */
  readonly giveUp: AbortSignal | null;
}

/** How to read a successful answer. */
export interface Expected {
  readonly limitBytes: number;
  /** Whether the answer is complete. An exception in the middle leaves its text at the end. */
  readonly isWhole: (body: Uint8Array) => boolean;
  /** Awaited when the query is done, before the answer is read into memory. */
  readonly reserve: () => Promise<void>;
}

const MS_PER_SECOND = 1000;

/** Bytes at the end of an answer in which the text of an exception is searched. */
const EXCEPTION_BYTES = 16 * 1024;

/**
 * Sends one query once and reads its whole answer, within one deadline. The request makes the server buffer its answer
 * until the query is done, so that an exception shows in the headers.
 */
export async function exchange(
  session: Session,
  query: Query,
  expected: Expected,
): Promise<Result<Uint8Array, SourceFailure>> {
  const deadline = new Deadline(session.timeoutMs);
  const { giveUp } = session;
  try {
    const response = await session.fetch(`${session.url}/?${searchOf(session.timeoutMs)}`, {
      method: "POST",
      headers: {
        "X-ClickHouse-User": session.user,
        "X-ClickHouse-Key": session.password,
        "Accept-Encoding": "identity",
      },
      body: formOf(query),
      redirect: "manual",
      signal: giveUp === null ? deadline.signal : AbortSignal.any([deadline.signal, giveUp]),
    });
    const { status, headers } = response;
    if (response.ok) await expected.reserve();
    const body = await boundedBody(response, response.ok ? expected.limitBytes : EXCEPTION_BYTES);
    const code =
      headers.get("X-ClickHouse-Exception-Code") ?? (body === null ? null : codeIn(response, body, expected));
    if (code !== null) return fail(sourceFailureOf({ kind: "exception", code: Number(code), status }));
    if (!response.ok) return fail(sourceFailureOf({ kind: "status", status }));
    if (body === null || !expected.isWhole(body)) return fail(sourceFailureOf({ kind: "body", status }));
    return ok(body);
  } catch {
    // The text of the thrown error is not read: the runtime defines it, and it may contain the address of the server.
    return fail(sourceFailureOf({ kind: deadline.hasPassed ? "deadline" : "network" }));
  } finally {
    deadline.clear();
  }
}

const searchOf = (timeoutMs: number): string =>
  new URLSearchParams([
    ["wait_end_of_query", "1"],
    ["cancel_http_readonly_queries_on_client_close", "1"],
    ["max_execution_time", String(Math.ceil(timeoutMs / MS_PER_SECOND))],
  ]).toString();

/**
 * A form: values in the URL could exceed what a proxy accepts, and would appear in its log. ClickHouse accepts 1000 fields
 * of 128 KiB (`http_max_fields`, `http_max_field_value_size`); the longest filter makes 95 KB of SQL.
 */
const formOf = ({ sql, parameters }: Query): FormData => {
  const form = new FormData();
  form.set("query", sql);
  for (const [name, value] of Object.entries(parameters)) form.set(`param_${name}`, escaped(value));
  return form;
};

/** ClickHouse parses parameters as fields of the format TabSeparated. */
const escaped = (value: string): string => value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Code of the exception at the end of an answer; null: there is none. */
const codeIn = (response: Response, body: Uint8Array, expected: Expected): string | null => {
  if (response.ok && expected.isWhole(body)) return null;
  const text = new TextDecoder().decode(body.subarray(-EXCEPTION_BYTES));
  return /Code: (\d{1,6})\. DB::/.exec(text)?.[1] ?? null;
};
