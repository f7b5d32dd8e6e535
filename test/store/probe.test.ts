import { describe, expect, test } from "vitest";
import { probe } from "../../src/store/probe.ts";
import { error, useSinks } from "../s3/sinks.ts";
import type { SinkAnswer, SinkOptions } from "../support/sink-s3.ts";

const { sinkWith } = useSinks();

describe("the check of a destination", () => {
  const denied: SinkAnswer = { status: 403, body: error("AccessDenied") };
  const checked = async (hook: NonNullable<SinkOptions["hook"]>) => {
    const { sink, store } = await sinkWith({ hook });
    return { sink, result: await probe(store, { prefix: "traces", name: "check-1" }) };
  };

  test("needs only the permission to write", async () => {
    const { sink, result } = await checked(({ method }) => (method === "PUT" ? null : denied));
    expect(result).toEqual({ ok: true, value: { canRead: false, canDelete: false } });
    // The test file stays where deleting is not allowed.
    expect([...sink.objects.keys()]).toEqual(["traces/tmp/check-1.txt"]);
  });

  test("deletes the test file even without the permission to read it", async () => {
    const { sink, result } = await checked(({ method }) => (method === "HEAD" ? denied : null));
    expect(result).toEqual({ ok: true, value: { canRead: false, canDelete: true } });
    expect(sink.objects.size).toBe(0);
  });

  test("fails without the permission to write, and sends no further request", async () => {
    const { sink, result } = await checked(() => denied);
    expect(result).toMatchObject({ failure: { reason: "access_denied", permission: "s3:PutObject" } });
    expect(sink.requests).toHaveLength(1);
  });

  test("fails when the store lost what it acknowledged", async () => {
    const pretending: SinkAnswer = { status: 200, headers: { ETag: '"abc"' } };
    const { result } = await checked(({ method }) => (method === "PUT" ? pretending : null));
    expect(result).toMatchObject({ failure: { reason: "not_s3" } });
    const page: SinkAnswer = { status: 200, headers: { ETag: '"abc"' }, body: "a page" };
    expect((await checked(() => page)).result).toMatchObject({ failure: { reason: "not_s3" } });
  });
});
