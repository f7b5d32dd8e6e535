import type { SourceFailure, SourceFailureReason } from "../domain/shared/failures.ts";
import { isUnreached } from "../net/edge-status.ts";

/**
 * Translates ClickHouse's exceptions by their codes (src/Common/ErrorCodes.cpp of ClickHouse). No other file does that.
 */

/** The observed cause of a failed request. */
export type SourceCause =
  /** An exception, in the headers or in the body. */
  | { readonly kind: "exception"; readonly code: number; readonly status: number }
  /** An error answer without an exception, so not from ClickHouse. */
  | { readonly kind: "status"; readonly status: number }
  /** A successful answer that is longer than the query allows, or incomplete. */
  | { readonly kind: "body"; readonly status: number }
  | { readonly kind: "deadline" }
  /** fetch threw: closed port, unknown host, untrusted certificate, reset. */
  | { readonly kind: "network" };

/**
 * Meaning of exceptions by code and name (`errorCodeToName` lists all). A code without a row is retryable: only
 * failures that are known to need a change by the customer are final.
 */
export const EXCEPTIONS: readonly {
  readonly reason: TableFailureReason;
  readonly names: Readonly<Record<number, string>>;
}[] = [
  {
    reason: "access_denied",
    names: {
      192: "UNKNOWN_USER",
      193: "WRONG_PASSWORD",
      194: "REQUIRED_PASSWORD",
      195: "IP_ADDRESS_NOT_ALLOWED",
      291: "DATABASE_ACCESS_DENIED",
      497: "ACCESS_DENIED",
      516: "AUTHENTICATION_FAILED",
      720: "USER_EXPIRED",
    },
  },
  { reason: "unknown_table", names: { 60: "UNKNOWN_TABLE", 81: "UNKNOWN_DATABASE", 218: "TABLE_IS_DROPPED" } },
  { reason: "unknown_column", names: { 16: "NO_SUCH_COLUMN_IN_TABLE", 47: "UNKNOWN_IDENTIFIER" } },
  {
    reason: "unusable_column",
    names: {
      6: "CANNOT_PARSE_TEXT",
      26: "CANNOT_PARSE_QUOTED_STRING",
      27: "CANNOT_PARSE_INPUT_ASSERTION_FAILED",
      38: "CANNOT_PARSE_DATE",
      41: "CANNOT_PARSE_DATETIME",
      43: "ILLEGAL_TYPE_OF_ARGUMENT",
      53: "TYPE_MISMATCH",
      70: "CANNOT_CONVERT_TYPE",
      72: "CANNOT_PARSE_NUMBER",
      130: "CANNOT_READ_ARRAY_FROM_TEXT",
      349: "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN",
      376: "CANNOT_PARSE_UUID",
      386: "NO_COMMON_TYPE",
      407: "DECIMAL_OVERFLOW",
      467: "CANNOT_PARSE_BOOL",
    },
  },
  {
    reason: "unknown_setting",
    names: { 115: "UNKNOWN_SETTING", 164: "READONLY", 452: "SETTING_CONSTRAINT_VIOLATION" },
  },
  {
    reason: "limit_exceeded",
    names: {
      158: "TOO_MANY_ROWS",
      173: "CANNOT_ALLOCATE_MEMORY",
      201: "QUOTA_EXCEEDED",
      241: "MEMORY_LIMIT_EXCEEDED",
      290: "LIMIT_EXCEEDED",
      307: "TOO_MANY_BYTES",
      396: "TOO_MANY_ROWS_OR_BYTES",
      776: "RESOURCE_LIMIT_EXCEEDED",
      777: "MEMORY_RESERVATION_KILLED",
      778: "MEMORY_RESERVATION_FAILED",
    },
  },
  { reason: "timeout", names: { 159: "TIMEOUT_EXCEEDED", 160: "TOO_SLOW" } },
  {
    reason: "busy",
    names: {
      202: "TOO_MANY_SIMULTANEOUS_QUERIES",
      203: "NO_FREE_CONNECTION",
      209: "SOCKET_TIMEOUT",
      210: "NETWORK_ERROR",
      225: "NO_ZOOKEEPER",
      236: "ABORTED",
      242: "TABLE_IS_READ_ONLY",
      279: "ALL_CONNECTION_TRIES_FAILED",
      364: "RECEIVED_ERROR_TOO_MANY_REQUESTS",
      369: "ALL_REPLICAS_ARE_STALE",
      394: "QUERY_WAS_CANCELLED",
      439: "CANNOT_SCHEDULE_TASK",
      519: "NO_REMOTE_SHARD_AVAILABLE",
      700: "USER_SESSION_LIMIT_EXCEEDED",
      733: "TABLE_IS_BEING_RESTARTED",
      735: "QUERY_WAS_CANCELLED_BY_CLIENT",
      745: "SERVER_OVERLOADED",
      749: "TCP_CONNECTION_LIMIT_REACHED",
      762: "HTTP_CONNECTION_LIMIT_REACHED",
      904: "TOO_MANY_UNAVAILABLE_SHARDS",
      999: "KEEPER_EXCEPTION",
    },
  },
];

/** Staging detects changed rows, not this adapter. */
type TableFailureReason = Exclude<SourceFailureReason, "rows_changed">;

const MEANINGS: Readonly<Record<TableFailureReason, { readonly retryable: boolean; readonly advice: string }>> = {
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
  limit_exceeded: { retryable: true, advice: "A limit or quota of the user or server was reached; raise it." },
  timeout: { retryable: true, advice: "ClickHouse took too long; order the table by session and start_time." },
  busy: { retryable: true, advice: "ClickHouse is busy, or some of its servers are out of reach." },
  network_lost: { retryable: true, advice: "Check that the url of the source is reachable." },
  unexpected_answer: { retryable: true, advice: "Check that the url is ClickHouse's HTTP interface." },
  password_lost: {
    retryable: false,
    advice: "The password cannot be opened: bind the project again, or restore the installation's master key.",
  },
};

/** A failure without an answer of the server. */
export const sourceFailure = (reason: TableFailureReason, advice: string = MEANINGS[reason].advice): SourceFailure => ({
  reason,
  retryable: MEANINGS[reason].retryable,
  code: null,
  status: null,
  advice,
});

/**
 * Translates an observed cause into a failure. The failure contains nothing from the server except its code and status.
 */
export function sourceFailureOf(cause: SourceCause): SourceFailure {
  switch (cause.kind) {
    case "exception": {
      const row = EXCEPTIONS.find(({ names }) => cause.code in names);
      return {
        ...sourceFailure(row?.reason ?? "unexpected_answer", row === undefined ? LOOK_UP : undefined),
        code: cause.code,
        status: cause.status,
      };
    }
    case "status":
      return { ...sourceFailure(reasonOf(cause.status)), status: cause.status };
    case "body":
      return { ...sourceFailure("unexpected_answer"), status: cause.status };
    case "deadline":
      return sourceFailure("timeout");
    case "network":
      return sourceFailure("network_lost");
  }
}

function reasonOf(status: number): TableFailureReason {
  if (status === 401 || status === 403) return "access_denied";
  return isUnreached(status) ? "network_lost" : "unexpected_answer";
}

const LOOK_UP = "Look the code up in system.query_log of the server.";
