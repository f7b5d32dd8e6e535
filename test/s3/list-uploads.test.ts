import { describe, expect, test } from "vitest";
import type { UploadsCursor } from "../../src/domain/destination/sweep.ts";
import type { ListedUploads } from "../../src/store/store.ts";
import type { SinkAnswer } from "../support/sink-s3.ts";
import { error, text, useSinks, value } from "./sinks.ts";

const { sinkWith } = useSinks();

const AT = "2026-11-01T08:00:00.000Z";
const upload = (key: string, id: string, initiated = AT) =>
  `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`;
const page = (inside: string): SinkAnswer => ({
  status: 200,
  body: `<?xml version="1.0"?><ListMultipartUploadsResult>${inside}</ListMultipartUploadsResult>`,
});
const listOf = async (answer: SinkAnswer, from: { key: string; uploadId: string } | null = null) =>
  (await sinkWith({ hook: () => answer })).store.listUploads("traces", from);

describe("the list of open uploads", () => {
  test("has every upload below the prefix, page by page, with its key, id and instant", async () => {
    const { sink, store } = await sinkWith({});
    const before = Date.now();
    const keys = Array.from({ length: 45 }, (_, i) => `traces/a&b <${String(i).padStart(2, "0")}>`);
    for (const key of [...keys, "traces2/x", "elsewhere"]) value(await store.createUpload(key));
    const seen: string[] = [];
    let pages = 0;
    let from: UploadsCursor | null = null;
    do {
      const listed: ListedUploads = value(await store.listUploads("traces", from));
      for (const { key, uploadId, initiatedAt } of listed.uploads) {
        expect(sink.uploads.get(uploadId)?.key).toBe(key);
        expect(initiatedAt).toBeGreaterThanOrEqual(before);
        seen.push(key);
      }
      pages += 1;
      from = listed.next;
    } while (from !== null);
    expect([seen, pages]).toEqual([keys, 3]);
  });

  test("of a store that may not be asked names the missing right", async () => {
    const denied = await listOf({ status: 403, body: error("AccessDenied") });
    expect(denied).toMatchObject({
      failure: { reason: "access_denied", permission: "s3:ListBucketMultipartUploads" },
    });
    const unknown = await listOf({ status: 501, body: error("NotImplemented") });
    expect(unknown).toMatchObject({ failure: { reason: "not_supported" } });
  });

  test.each<[what: string, inside: string]>([
    ["without a key", `<Upload><UploadId>u</UploadId><Initiated>${AT}</Initiated></Upload>`],
    ["with a key that is too long", upload("k".repeat(1025), "u")],
    ["with half a character as its key", upload("traces/&#xD800;", "u")],
    ["with an id of control characters", upload("traces/k", "u&#10;v")],
    ["without an instant", "<Upload><Key>traces/k</Key><UploadId>u</UploadId></Upload>"],
    ["with an instant that is none", upload("traces/k", "u", "2026-99-99T00:00:00Z")],
    ["that does not end", "<Upload><Key>traces/k</Key>"],
  ])("leaves out an entry %s", async (_what, inside) => {
    const good = { key: "traces/good", uploadId: "g", initiatedAt: Date.parse(AT) };
    expect(value(await listOf(page(`${upload(good.key, good.uploadId)}${inside}`)))).toEqual({
      uploads: [good],
      next: null,
    });
  });

  test("ends where the store leads no further", async () => {
    const marked = (key: string, id: string) =>
      page(
        `<IsTruncated>true</IsTruncated><NextKeyMarker>${key}</NextKeyMarker><NextUploadIdMarker>${id}</NextUploadIdMarker>`,
      );
    const from = { key: "k", uploadId: "u" };
    expect(value(await listOf(marked("k", "v"), from)).next).toEqual({ key: "k", uploadId: "v" });
    expect(value(await listOf(marked("k", "u"), from)).next).toBeNull();
    expect(value(await listOf(page("<IsTruncated>true</IsTruncated>"), from)).next).toBeNull();
  });

  test.each<[what: string, answer: SinkAnswer]>([
    ["a page of a web server", { status: 200, body: "<html></html>" }],
    ["a document type", { status: 200, body: `<!DOCTYPE x [<!ENTITY a "b">]><ListMultipartUploadsResult/>` }],
    ["an endless page", { status: 200, body: text("x".repeat(70_000)) }],
  ])("is not taken from %s", async (_what, answer) => {
    expect(await listOf(answer)).toMatchObject({ ok: false });
  });
});
