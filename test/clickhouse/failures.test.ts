import { describe, expect, it } from "vitest";
import { EXCEPTIONS, type SourceCause, sourceFailureOf } from "../../src/clickhouse/failures.ts";

/** ClickHouse's exceptions by number: their meaning, and whether the same query may succeed later. */
const ROWS: readonly (readonly [code: number, name: string, reason: string, retryable: boolean])[] = [
  [49, "LOGICAL_ERROR, which no row names", "unexpected_answer", true],
  [6, "CANNOT_PARSE_TEXT", "unusable_column", false],
  [16, "NO_SUCH_COLUMN_IN_TABLE", "unknown_column", false],
  [26, "CANNOT_PARSE_QUOTED_STRING", "unusable_column", false],
  [27, "CANNOT_PARSE_INPUT_ASSERTION_FAILED", "unusable_column", false],
  [38, "CANNOT_PARSE_DATE", "unusable_column", false],
  [41, "CANNOT_PARSE_DATETIME", "unusable_column", false],
  [43, "ILLEGAL_TYPE_OF_ARGUMENT", "unusable_column", false],
  [47, "UNKNOWN_IDENTIFIER", "unknown_column", false],
  [53, "TYPE_MISMATCH", "unusable_column", false],
  [60, "UNKNOWN_TABLE", "unknown_table", false],
  [70, "CANNOT_CONVERT_TYPE", "unusable_column", false],
  [72, "CANNOT_PARSE_NUMBER", "unusable_column", false],
  [81, "UNKNOWN_DATABASE", "unknown_table", false],
  [115, "UNKNOWN_SETTING", "unknown_setting", false],
  [130, "CANNOT_READ_ARRAY_FROM_TEXT", "unusable_column", false],
  [158, "TOO_MANY_ROWS", "limit_exceeded", true],
  [159, "TIMEOUT_EXCEEDED", "timeout", true],
  [160, "TOO_SLOW", "timeout", true],
  [164, "READONLY", "unknown_setting", false],
  [173, "CANNOT_ALLOCATE_MEMORY", "limit_exceeded", true],
  [192, "UNKNOWN_USER", "access_denied", false],
  [193, "WRONG_PASSWORD", "access_denied", false],
  [194, "REQUIRED_PASSWORD", "access_denied", false],
  [195, "IP_ADDRESS_NOT_ALLOWED", "access_denied", false],
  [201, "QUOTA_EXCEEDED", "limit_exceeded", true],
  [202, "TOO_MANY_SIMULTANEOUS_QUERIES", "busy", true],
  [203, "NO_FREE_CONNECTION", "busy", true],
  [209, "SOCKET_TIMEOUT", "busy", true],
  [210, "NETWORK_ERROR", "busy", true],
  [218, "TABLE_IS_DROPPED", "unknown_table", false],
  [225, "NO_ZOOKEEPER", "busy", true],
  [236, "ABORTED", "busy", true],
  [241, "MEMORY_LIMIT_EXCEEDED", "limit_exceeded", true],
  [242, "TABLE_IS_READ_ONLY", "busy", true],
  [279, "ALL_CONNECTION_TRIES_FAILED", "busy", true],
  [290, "LIMIT_EXCEEDED", "limit_exceeded", true],
  [291, "DATABASE_ACCESS_DENIED", "access_denied", false],
  [307, "TOO_MANY_BYTES", "limit_exceeded", true],
  [349, "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN", "unusable_column", false],
  [364, "RECEIVED_ERROR_TOO_MANY_REQUESTS", "busy", true],
  [369, "ALL_REPLICAS_ARE_STALE", "busy", true],
  [376, "CANNOT_PARSE_UUID", "unusable_column", false],
  [386, "NO_COMMON_TYPE", "unusable_column", false],
  [394, "QUERY_WAS_CANCELLED", "busy", true],
  [396, "TOO_MANY_ROWS_OR_BYTES", "limit_exceeded", true],
  [407, "DECIMAL_OVERFLOW", "unusable_column", false],
  [439, "CANNOT_SCHEDULE_TASK", "busy", true],
  [452, "SETTING_CONSTRAINT_VIOLATION", "unknown_setting", false],
  [467, "CANNOT_PARSE_BOOL", "unusable_column", false],
  [497, "ACCESS_DENIED", "access_denied", false],
  [516, "AUTHENTICATION_FAILED", "access_denied", false],
  [519, "NO_REMOTE_SHARD_AVAILABLE", "busy", true],
  [700, "USER_SESSION_LIMIT_EXCEEDED", "busy", true],
  [720, "USER_EXPIRED", "access_denied", false],
  [733, "TABLE_IS_BEING_RESTARTED", "busy", true],
  [735, "QUERY_WAS_CANCELLED_BY_CLIENT", "busy", true],
  [745, "SERVER_OVERLOADED", "busy", true],
  [749, "TCP_CONNECTION_LIMIT_REACHED", "busy", true],
  [762, "HTTP_CONNECTION_LIMIT_REACHED", "busy", true],
  [776, "RESOURCE_LIMIT_EXCEEDED", "limit_exceeded", true],
  [777, "MEMORY_RESERVATION_KILLED", "limit_exceeded", true],
  [778, "MEMORY_RESERVATION_FAILED", "limit_exceeded", true],
  [904, "TOO_MANY_UNAVAILABLE_SHARDS", "busy", true],
  [999, "KEEPER_EXCEPTION", "busy", true],
];

describe("an exception of ClickHouse", () => {
  it.each(ROWS)("%i %s means %s; retryable: %s", (code, _, reason, retryable) => {
    const failure = sourceFailureOf({ kind: "exception", code, status: 500 });
    expect(failure).toEqual({ reason, retryable, code, status: 500, advice: expect.stringMatching(/\.$/) });
  });

  it("is in the table above for every number that the adapter distinguishes", () => {
    const named = EXCEPTIONS.flatMap(({ names }) => Object.entries(names).map(([code, name]) => `${code} ${name}`));
    const shown = ROWS.map(([code, name]) => `${code} ${name}`).filter((row) => !row.includes("which no row names"));
    expect(named.sort()).toEqual(shown.sort());
  });
});

it.each<readonly [cause: SourceCause, reason: string, retryable: boolean]>([
  [{ kind: "status", status: 401 }, "access_denied", false],
  [{ kind: "status", status: 403 }, "access_denied", false],
  [{ kind: "status", status: 302 }, "unexpected_answer", true],
  [{ kind: "status", status: 503 }, "unexpected_answer", true],
  [{ kind: "status", status: 530 }, "network_lost", true],
  [{ kind: "body", status: 200 }, "unexpected_answer", true],
  [{ kind: "deadline" }, "timeout", true],
  [{ kind: "network" }, "network_lost", true],
])("a failure that is no exception of ClickHouse, %o, means %s; retryable: %s", (cause, reason, retryable) => {
  expect(sourceFailureOf(cause)).toMatchObject({ reason, retryable, code: null });
});
