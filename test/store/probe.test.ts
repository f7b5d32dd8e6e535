import { describe, expect, test } from "vitest";
import { probe } from "../../src/store/probe.ts";
import { error, useSinks } from "../s3/sinks.ts";
import { check } from "../support/samples.ts";
import type { SinkAnswer, SinkOptions, SinkRequest } from "../support/sink-s3.ts";

const { sinkWith } = useSinks();

const denied: SinkAnswer = { status: 403, body: error("AccessDenied") };

const checked = async (options: SinkOptions) => {
  const { sink, store } = await sinkWith(options);
  return { sink, result: await probe(store, { prefix: "traces", name: "check-1" }) };
};

const deniedWhere = (isDenied: (request: SinkRequest) => boolean): SinkOptions => ({
  hook: (request) => (isDenied(request) ? denied : null),
});

const isPut = ({ method, query }: SinkRequest) => method === "PUT" && !query.has("uploadId");
const isAbort = ({ method, query }: SinkRequest) => method === "DELETE" && query.has("uploadId");
const isRemoval = ({ method, query }: SinkRequest) => method === "DELETE" && !query.has("uploadId");

describe("the check of a destination", () => {
  test("needs only the permission to write", async () => {
    const { sink, result } = await checked(deniedWhere((request) => !isPut(request)));
    expect(result).toEqual({
      ok: true,
      value: {
        region: "auto",
        steps: {
          put: "passed",
          head: "missing",
          multipart_create: "missing",
          multipart_abort: "not_tried",
          delete: "missing",
          list: "missing",
        },
        etags: { put: "md5", multipart: "unknown" },
      },
    });
    // The test file stays where deleting is not allowed.
    expect([...sink.objects.keys()]).toEqual(["traces/tmp/check-1.txt"]);
  });

  test.each<[step: keyof typeof check.steps, isDenied: (request: SinkRequest) => boolean]>([
    ["head", ({ method }) => method === "HEAD"],
    ["multipart_abort", isAbort],
    ["delete", isRemoval],
    ["list", ({ method, key }) => method === "GET" && key === ""],
  ])("finds the right to %s missing, and every other one there", async (step, isDenied) => {
    const { sink, result } = await checked(deniedWhere(isDenied));
    expect(result).toEqual({ ok: true, value: { ...check, steps: { ...check.steps, [step]: "missing" } } });
    expect(sink.objects.size).toBe(step === "delete" ? 1 : 0);
    expect(sink.uploads.size).toBe(step === "multipart_abort" ? 1 : 0);
  });

  test("does not call a right missing because the store has a fault", async () => {
    const busy: SinkAnswer = { status: 503, body: error("SlowDown") };
    const { result } = await checked({ hook: ({ method }) => (method === "HEAD" ? busy : null) });
    expect(result).toMatchObject({ ok: true, value: { steps: { put: "passed", head: "not_tried" } } });
  });

  test("fails without the permission to write, and sends no further request", async () => {
    const { sink, result } = await checked(deniedWhere(() => true));
    expect(result).toMatchObject({ failure: { reason: "access_denied", permission: "s3:PutObject" } });
    expect(sink.requests).toHaveLength(1);
  });

  test("fails when the store lost what it acknowledged", async () => {
    const pretending: SinkAnswer = { status: 200, headers: { ETag: '"abc"' } };
    const { result } = await checked({ hook: ({ method }) => (method === "PUT" ? pretending : null) });
    expect(result).toMatchObject({ failure: { reason: "not_s3" } });
    const page: SinkAnswer = { status: 200, headers: { ETag: '"abc"' }, body: "a page" };
    expect((await checked({ hook: () => page })).result).toMatchObject({ failure: { reason: "not_s3" } });
  });
});

describe("the check of a destination learns what the ETags of the store are:", () => {
  test("MD5s of objects and of parts", async () => {
    const { result } = await checked({});
    expect(result).toEqual({ ok: true, value: check });
  });

  test("something else", async () => {
    const { result } = await checked({ digests: "counted" });
    expect(result).toMatchObject({ ok: true, value: { etags: { put: "other", multipart: "other" } } });
  });

  test("MD5s of objects, and something else of objects joined from parts", async () => {
    const own: SinkAnswer = {
      status: 200,
      body: "<CompleteMultipartUploadResult><ETag>own</ETag></CompleteMultipartUploadResult>",
    };
    const { result } = await checked({
      hook: ({ method, query }) => (method === "POST" && query.has("uploadId") ? own : null),
    });
    expect(result).toMatchObject({ ok: true, value: { etags: { put: "md5", multipart: "other" } } });
  });
});
