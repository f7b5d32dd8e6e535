import { describe, expect, it } from "vitest";
import { openClickHouse } from "../../../src/clickhouse/client.ts";
import { EXCEPTIONS } from "../../../src/clickhouse/failures.ts";
import type { TableSource } from "../../../src/domain/project/clickhouse-binding.ts";
import { EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";
import { exception } from "../../support/clickhouse-bridge.ts";
import { MARK } from "../../support/secrets/mark.ts";
import { opener, sourceIn, useEngine } from "./engine.ts";
import { createTable, insertRuns } from "./runs.ts";
import { dayOf, must, PROJECT } from "./scope.ts";

/** Failures of the real ClickHouse engine, and of proxies between it and the adapter. */

const MIB = 1024 * 1024;

const { bridge } = useEngine((started) => {
  createTable(started);
  insertRuns(started, PROJECT, 5000);
});

const open = opener(bridge);

const DAY = dayOf(EXPORT_FIELDS);

const noWait = async () => {};

describe("an error is returned as a value", () => {
  const checked = async (changes: Partial<TableSource>, password?: string) => {
    const result = await open(changes, password).check();
    if (result.ok) throw new Error("nothing went wrong");
    expect(JSON.stringify(result.failure)).not.toContain(bridge().password);
    expect(JSON.stringify(result.failure)).not.toContain("DB::");
    const { reason, code, retryable } = result.failure;
    return { reason, code, retryable };
  };

  it("a valid table passes the check without one", async () => {
    expect(await open().check()).toEqual({ ok: true, value: null });
  });

  it("for a wrong password, an unknown table, database or column, and a column of another type", async () => {
    expect(await checked({}, `${MARK}, wrong`)).toEqual({ reason: "access_denied", code: 516, retryable: false });
    expect(await checked({ table: "nothing" })).toEqual({ reason: "unknown_table", code: 60, retryable: false });
    expect(await checked({ database: "nothing" })).toEqual({ reason: "unknown_table", code: 81, retryable: false });
    expect(await checked({ columns: { name: "nothing" } })).toEqual({
      reason: "unknown_column",
      code: 47,
      retryable: false,
    });
    expect(await checked({ columns: { start_time: "tags" } })).toMatchObject({
      reason: "unusable_column",
      retryable: false,
    });
  });

  it("for the error codes of the engine", () => {
    for (const { names } of EXCEPTIONS)
      for (const [code, name] of Object.entries(names))
        expect([code, bridge().engine.rows(`SELECT errorCodeToName(${code})`, {})]).toEqual([code, [[name]]]);
  });

  it("for an exception in the middle of an answer", async () => {
    const [page] = must(await open().pages(DAY, MIB));
    if (page === undefined) throw new Error("there is no page");
    const whole = must(await open().page(DAY, page, noWait));
    const text = new TextEncoder().encode(
      "\nCode: 241. DB::Exception: Memory limit exceeded: secret. (MEMORY_LIMIT_EXCEEDED)\n",
    );
    bridge().interfere(async () => ({ status: 200, body: Buffer.concat([whole.subarray(0, 5000), text]) }));
    const broken = await open().page(DAY, page, noWait);
    expect(broken).toMatchObject({
      ok: false,
      failure: { reason: "limit_exceeded", code: 241, retryable: true, status: 200 },
    });
    bridge().interfere(async () => ({ status: 200, body: whole.subarray(0, 5000) }));
    expect(await open().page(DAY, page, noWait)).toMatchObject({
      ok: false,
      failure: { reason: "unexpected_answer", retryable: true },
    });
    bridge().interfere(async () => ({ status: 200, body: Buffer.concat([whole, new Uint8Array(4 * MIB), whole]) }));
    expect(await open().page(DAY, page, noWait)).toMatchObject({ ok: false, failure: { reason: "unexpected_answer" } });
  });

  it("for a server that does not answer in time, does not exist, or is not ClickHouse", async () => {
    bridge().interfere(() => new Promise(() => undefined));
    expect(await open({}, bridge().password, 50).check()).toMatchObject({
      ok: false,
      failure: { reason: "timeout", retryable: true },
    });
    bridge().interfere(async () => ({ status: 502, body: "<html>" }));
    expect(await checked({})).toEqual({ reason: "unexpected_answer", code: null, retryable: true });
    bridge().interfere(async () => ({ status: 302, headers: { Location: "http://127.0.0.1:1/" }, body: "" }));
    expect(await checked({})).toEqual({ reason: "unexpected_answer", code: null, retryable: true });
    bridge().interfere(null);
    expect(await checked({ url: "http://127.0.0.1:1" })).toEqual({
      reason: "network_lost",
      code: null,
      retryable: true,
    });
  });

  it("for an exception of a busy server", async () => {
    bridge().interfere(async () => exception(202, 500, "Too many simultaneous queries"));
    expect(await checked({})).toEqual({ reason: "busy", code: 202, retryable: true });
  });

  it("for a url inside a private network", () => {
    for (const url of [
      "http://10.0.0.1:8123",
      "https://clickhouse.internal",
      "https://user:pw@clickhouse.example.com",
      "ftp://x.com",
    ])
      expect(openClickHouse(sourceIn(bridge(), { url }), "", { allowLoopback: true })).toMatchObject({
        ok: false,
        failure: { reason: "invalid_url" },
      });
  });
});
