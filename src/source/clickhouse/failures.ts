import type { SourceFailure, SourceFailureReason } from "../../domain/failures.ts";

/** The one place that says what ClickHouse's exceptions mean, by their numbers (src/Common/ErrorCodes.cpp there). */

/** What was seen of a request that did not go well. */
export type SourceCause =
  /** An exception, wherever in the answer it stood. */
  | { readonly kind: "exception"; readonly code: number; readonly status: number }
  /** An error answer without an exception: not ClickHouse's own. */
  | { readonly kind: "status"; readonly status: number }
  /** A good answer that is longer than the query can have, or ends too early. */
  | { readonly kind: "body"; readonly status: number }
  | { readonly kind: "deadline" }
  /** fetch threw: closed port, unknown host, untrusted certificate, reset. */
  | { readonly kind: "network" };

/** What no row names may pass: only what is known to need somebody's hand is final. */
export const EXCEPTIONS: readonly (readonly [reason: SourceFailureReason, codes: readonly number[]])[] = [
  // UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, IP_ADDRESS_NOT_ALLOWED, ACCESS_DENIED, AUTHENTICATION_FAILED
  ["access_denied", [192, 193, 194, 195, 497, 516]],
  // UNKNOWN_TABLE, UNKNOWN_DATABASE
  ["unknown_table", [60, 81]],
  // NO_SUCH_COLUMN_IN_TABLE, UNKNOWN_IDENTIFIER
  ["unknown_column", [16, 47]],
  // CANNOT_PARSE_TEXT, CANNOT_PARSE_DATETIME, ILLEGAL_TYPE_OF_ARGUMENT, TYPE_MISMATCH, CANNOT_CONVERT_TYPE,
  // CANNOT_PARSE_NUMBER, CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN, NO_COMMON_TYPE, CANNOT_PARSE_UUID
  ["unusable_column", [6, 41, 43, 53, 70, 72, 349, 386, 376]],
  // UNKNOWN_SETTING, READONLY, SETTING_CONSTRAINT_VIOLATION
  ["unknown_setting", [115, 164, 452]],
  // QUOTA_EXCEEDED, TOO_MANY_ROWS, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES
  ["limit_exceeded", [158, 201, 241, 307, 396]],
  // TIMEOUT_EXCEEDED, TOO_SLOW
  ["timeout", [159, 160]],
  // TOO_MANY_SIMULTANEOUS_QUERIES, SOCKET_TIMEOUT, NETWORK_ERROR, ALL_CONNECTION_TRIES_FAILED, QUERY_WAS_CANCELLED
  ["busy", [202, 209, 210, 279, 394]],
];

const MEANINGS: Readonly<Record<SourceFailureReason, { readonly retryable: boolean; readonly advice: string }>> = {
  invalid_url: { retryable: false, advice: "Correct the url of the source." },
  access_denied: {
    retryable: false,
    advice: "Check user and password of the source, and that the user may SELECT from the table from this address.",
  },
  unknown_table: { retryable: false, advice: "Check database and table of the source." },
  unknown_column: {
    retryable: false,
    advice: "Name the table's columns in columns of the source, with null for those that it does not have.",
  },
  unusable_column: {
    retryable: false,
    advice: "A column of the table has a type or values that do not fit its field.",
  },
  unknown_setting: {
    retryable: false,
    advice:
      "The user must be allowed to change settings (readonly = 2), and the server must know those of Parquet (version 26.7 does).",
  },
  row_too_large: { retryable: false, advice: "A run is too long; export fewer fields, or a range without it." },
  rows_changed: {
    retryable: true,
    advice: "Rows of the range were inserted or changed meanwhile; the range is read anew.",
  },
  limit_exceeded: { retryable: true, advice: "A limit or quota of the user or server was reached; raise it." },
  timeout: { retryable: true, advice: "ClickHouse took too long; order the table by session and start_time." },
  busy: { retryable: true, advice: "ClickHouse is busy." },
  network_lost: { retryable: true, advice: "Check that the url of the source is reachable." },
  unexpected_answer: { retryable: true, advice: "Check that the url is ClickHouse's HTTP interface." },
  password_lost: {
    retryable: false,
    advice: "The password cannot be opened: bind the project again, or restore the installation's master key.",
  },
};

/** The failure of that reason, where no answer is at hand. */
export const sourceFailure = (
  reason: SourceFailureReason,
  advice: string = MEANINGS[reason].advice,
): SourceFailure => ({
  reason,
  retryable: MEANINGS[reason].retryable,
  code: null,
  status: null,
  advice,
});

export function sourceFailureOf(cause: SourceCause): SourceFailure {
  switch (cause.kind) {
    case "exception": {
      const row = EXCEPTIONS.find(([, codes]) => codes.includes(cause.code));
      return {
        ...sourceFailure(row?.[0] ?? "unexpected_answer", row === undefined ? LOOK_UP : undefined),
        code: cause.code,
        status: cause.status,
      };
    }
    case "status":
      return {
        ...sourceFailure(cause.status === 401 || cause.status === 403 ? "access_denied" : "unexpected_answer"),
        status: cause.status,
      };
    case "body":
      return { ...sourceFailure("unexpected_answer"), status: cause.status };
    case "deadline":
      return sourceFailure("timeout");
    case "network":
      return sourceFailure("network_lost");
  }
}

const LOOK_UP = "Look the code up in system.query_log of the server.";
