import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import type { FileWork } from "../../../durable/export-run/steps/commit.ts";
import type { StepContext } from "../../../durable/export-run/steps/context.ts";
import { FileDigest } from "../../../durable/export-run/steps/file-digest.ts";
import type { FilePlans } from "../../../durable/export-run/steps/file-plans.ts";
import { uploadInParts } from "../../../durable/export-run/steps/upload-parts.ts";
import { UNKNOWN_ETAGS } from "../../../src/domain/destination/check.ts";
import type { ExportRunEvent } from "../../../src/domain/export-run/events.ts";
import { exportRun } from "../../../src/domain/export-run/index.ts";
import type { ExportRunState } from "../../../src/domain/export-run/state.ts";
import { fail, ok } from "../../../src/domain/shared/result.ts";
import { joinedEtag } from "../../../src/store/etags.ts";
import type { Store } from "../../../src/store/store.ts";
import { eventsOf } from "../../support/events-of.ts";
import { HOUR_MS, NOW, specOf, storeFailure } from "../../support/samples.ts";
import { env } from "../traces.ts";

const MIB = 1024 * 1024;
const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Upload {
  readonly work: FileWork;
  readonly events: ExportRunEvent[];
  readonly state: () => ExportRunState;
  readonly partsMade: number[];
  /** Ends the pause after a slow-down. */
  readonly resume: () => void;
}

/** A file of `parts` parts declared as 16 MiB each; each holds one byte, so that a test can hold hundreds. */
const uploadOf = (parts: number, changes: Partial<Store> = {}, makes?: (part: number) => Promise<void>): Upload => {
  const partBytes = 16 * MIB;
  const spec = specOf({ partBytes, partsInFlight: 4 });
  const file = { ordinal: 0, rows: 30, incompleteRows: 0, bytes: parts * partBytes, pieces: [] };
  const events: ExportRunEvent[] = [
    { type: "RunStarted", spec, at: NOW },
    { type: "AttemptStarted", retry: 0, at: NOW, deadline: NOW + 4 * HOUR_MS },
    { type: "FilesPlanned", files: 1, rows: 30, bytes: file.bytes, at: NOW },
  ];
  let state = events.reduce(exportRun.evolve, exportRun.initialState);
  const sent: Uint8Array[] = [];
  const partsMade: number[] = [];
  const store = {
    etags: UNKNOWN_ETAGS,
    createUpload: async () => ok({ uploadId: "u" }),
    abortUpload: async () => ok(null),
    putPart: async (_key: string, _id: string, part: number, bytes: Uint8Array) => {
      await later(1);
      sent[part - 1] = bytes;
      return ok({ etag: md5(bytes), md5: md5(bytes) });
    },
    completeUpload: async () => ok({ etag: joinedEtag(sent.map(md5)) }),
    head: async () => ok({ bytes: file.bytes, etag: joinedEtag(sent.map(md5)) }),
    ...changes,
  } as unknown as Store; // the tests use nothing else of a store
  const digest = new FileDigest();
  const plans = {
    digestOf: () => digest,
    bytes: async (_context: StepContext, _file: unknown, start: number) => {
      const part = start / partBytes + 1;
      await (makes?.(part) ?? later(part % 3));
      partsMade.push(part);
      return new Uint8Array([part]);
    },
  } as unknown as FilePlans; // the tests use nothing else of the plans
  const context: StepContext = {
    env: env as never,
    spec,
    snapshotStep: 0,
    progress: () => (state as Exclude<ExportRunState, { status: "NONE" }>).progress,
    record: (command) => {
      const happened = eventsOf(exportRun.decide({ ...command, now: NOW }, state));
      events.push(...happened);
      state = happened.reduce(exportRun.evolve, state);
      return state.status === "RUNNING" && state.retryAt === null;
    },
    isWanted: () => true,
    isTired: () => false,
    timeOut: new AbortController().signal,
  };
  const resume = () => {
    state = exportRun.evolve(state, { type: "SlowDownEnded", at: NOW });
  };
  const work = { context, plans, store, file, key: "traces/0.parquet" };
  return { work, events, state: () => state, partsMade, resume };
};

const committedOf = ({ events }: Upload) => events.find((event) => event.type === "FileCommitted")?.file;

const wholeSha256 = (parts: number) =>
  createHash("sha256")
    .update(Uint8Array.from({ length: parts }, (_, i) => i + 1))
    .digest("hex");

describe("a multipart upload", () => {
  it("has the SHA-256 of its parts by number, for any order of creation and arrival", async () => {
    const upload = uploadOf(9, {}, (part) => later(10 - part));
    await uploadInParts(upload.work);
    expect(committedOf(upload)).toMatchObject({ sha256: wholeSha256(9), verification: "size+etag" });
    expect(upload.state().status).toBe("COMPLETED");
  });

  it("opened by a step that is no longer wanted is left to the next step, as the log says", async () => {
    const given: string[] = [];
    const abortUpload: Store["abortUpload"] = async (_key, uploadId) => {
      given.push(uploadId);
      return ok(null);
    };
    const upload = uploadOf(3, { abortUpload });
    const { context } = upload.work;
    const record: StepContext["record"] = (command) => {
      context.record(command);
      return false;
    };
    await uploadInParts({ ...upload.work, context: { ...context, record } });
    expect([given, upload.partsMade]).toEqual([[], []]);
    await uploadInParts(upload.work);
    expect(committedOf(upload)?.sha256).toBe(wholeSha256(3));
  });

  it("never waits for another upload that waits for it: many share the memory of one isolate", async () => {
    const uploads = Array.from({ length: 8 }, () => uploadOf(12));
    await Promise.all(uploads.map(({ work }) => uploadInParts(work)));
    for (const upload of uploads) expect(committedOf(upload)?.sha256).toBe(wholeSha256(12));
  });

  it("that was slowed down to one part at a time has several in flight again before its file ends", async () => {
    let inFlight = 0;
    const most: number[] = [];
    const upload = uploadOf(16);
    const { putPart } = upload.work.store;
    const store: Store = {
      ...upload.work.store,
      putPart: async (...request) => {
        inFlight += 1;
        most[request[2] - 1] = inFlight;
        await later(20);
        inFlight -= 1;
        return putPart(...request);
      },
    };
    const throttled = { reason: "store", store: storeFailure({ reason: "throttled" }) } as const;
    for (let times = 0; times < 2; times += 1) {
      upload.work.context.record({ type: "RecordFailure", failure: throttled, now: NOW });
      upload.resume();
    }
    for (let steps = 0; steps < 3; steps += 1) await uploadInParts({ ...upload.work, store });
    expect(committedOf(upload)?.sha256).toBe(wholeSha256(16));
    // The memory of an isolate holds three parts of 16 MiB.
    expect([most.slice(0, 4), Math.max(...most.slice(4, 8)), Math.max(...most.slice(8))]).toEqual([[1, 1, 1, 1], 2, 3]);
  });

  it("ends its step immediately when a part cannot be made; the next step resumes from there", async () => {
    let isBroken = true;
    const upload = uploadOf(9, {}, async (part) => {
      if (part === 2 && isBroken) throw new Error("gone");
      await later(1);
    });
    await expect(uploadInParts(upload.work)).rejects.toThrow("gone");
    isBroken = false;
    await uploadInParts(upload.work);
    expect(committedOf(upload)?.sha256).toBe(wholeSha256(9));
    const arrived = upload.events.flatMap((event) => (event.type === "PartUploaded" ? [event.part] : []));
    expect(arrived.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("to a store whose ETags are not MD5s is verified by size, and by size alone after a lost response", async () => {
    const opaque: Partial<Store> = {
      putPart: async (_key, _id, part, bytes) => ok({ etag: `opaque-${part}`, md5: md5(bytes) }),
      completeUpload: async () => ok({ etag: "opaque" }),
      head: async () => ok({ bytes: 2 * 16 * MIB, etag: "opaque" }),
    };
    const upload = uploadOf(2, opaque);
    await uploadInParts(upload.work);
    expect(committedOf(upload)).toMatchObject({ verification: "size", etag: "opaque" });
    const lost = fail(storeFailure({ reason: "no_such_upload" }));
    const again = uploadOf(2, { ...opaque, completeUpload: async () => lost });
    await uploadInParts(again.work);
    expect(committedOf(again)).toMatchObject({ verification: "size", etag: "opaque" });
  });

  it.each<[string, Partial<Store>]>([
    ["under an ETag of other content", { head: async () => ok({ bytes: 2 * 16 * MIB, etag: "0".repeat(32) }) }],
    ["with another size", { head: async () => ok({ bytes: 5, etag: "0".repeat(32) }) }],
    ["not at all", { head: async () => fail(storeFailure({ reason: "no_such_key" })) }],
  ])("whose object is found %s is not committed: it spends a retry and is written again", async (_title, changes) => {
    const upload = uploadOf(2, changes);
    await uploadInParts(upload.work);
    expect(upload.events.slice(-2).map((event) => event.type)).toEqual(["UploadLost", "AttemptFailed"]);
    expect(committedOf(upload)).toBeUndefined();
  });

  it("to a store that derives ETags from MD5 is not committed under another ETag, with or without the right to read", async () => {
    const other: Partial<Store> = {
      etags: { put: "md5", multipart: "md5" },
      putPart: async (_key, _id, part, bytes) => ok({ etag: `${part}`.repeat(32), md5: md5(bytes) }),
      completeUpload: async () => ok({ etag: `${"0".repeat(32)}-2` }),
    };
    const seen = async () => ok({ bytes: 2 * 16 * MIB, etag: `${"0".repeat(32)}-2` });
    const denied = async () => fail(storeFailure({ reason: "access_denied", retryable: false }));
    for (const head of [seen, denied]) {
      const upload = uploadOf(2, { ...other, head });
      await uploadInParts(upload.work);
      expect(upload.events.slice(-2)).toMatchObject([
        { type: "UploadLost" },
        { type: "AttemptFailed", failure: { message: expect.stringContaining("damaged") } },
      ]);
    }
  });

  it("to a bucket whose encryption was changed to a key of the customer's is verified by size", async () => {
    const encrypted: Partial<Store> = {
      etags: { put: "md5", multipart: "md5" },
      putPart: async (_key, _id, part, bytes) => ok({ etag: `opaque-${part}`, md5: md5(bytes) }),
      completeUpload: async () => ok({ etag: "opaque" }),
      head: async () => ok({ bytes: 2 * 16 * MIB, etag: "opaque", isKeyEncrypted: true }),
    };
    const upload = uploadOf(2, encrypted);
    await uploadInParts(upload.work);
    expect(committedOf(upload)).toMatchObject({ verification: "size", etag: "opaque" });
  });

  it("of which one part has another ETag than its MD5, as no other part has, is written again", async () => {
    const upload = uploadOf(3, {
      putPart: async (_key, _id, part, bytes) =>
        ok({ etag: part === 2 ? "0".repeat(32) : md5(bytes), md5: md5(bytes) }),
    });
    await uploadInParts(upload.work);
    expect(upload.events.slice(-2)).toMatchObject([
      { type: "UploadLost" },
      { type: "AttemptFailed", failure: { message: expect.stringContaining("damaged") } },
    ]);
  });

  it("is not affected by an older step that hung and finds its own upload gone", async () => {
    const held = { u1: Promise.withResolvers<void>(), u2: Promise.withResolvers<void>() };
    const aborted: string[] = [];
    let opened = 0;
    const upload = uploadOf(3);
    const { putPart } = upload.work.store;
    const store: Store = {
      ...upload.work.store,
      createUpload: async () => {
        opened += 1;
        return ok({ uploadId: `u${opened}` });
      },
      abortUpload: async (_key, uploadId) => {
        aborted.push(uploadId);
        return ok(null);
      },
      putPart: async (key, uploadId, part, bytes) => {
        await held[uploadId === "u1" ? "u1" : "u2"].promise;
        if (uploadId === "u1") return fail(storeFailure({ reason: "no_such_upload" }));
        return putPart(key, uploadId, part, bytes);
      },
    };
    const { context } = upload.work;
    // A failure counts only while no later step is at work.
    const record: StepContext["record"] = (command) => command.type === "RecordFailure" || context.record(command);
    const hung = uploadInParts({ ...upload.work, store, context: { ...context, record } });
    await vi.waitUntil(() => opened === 1);
    context.record({ type: "RecordUploadLost", file: 0, uploadId: "u1", now: NOW });
    const later = uploadInParts({ ...upload.work, store });
    await vi.waitUntil(() => opened === 2);
    held.u1.resolve();
    await hung;
    expect([aborted, context.progress().upload?.uploadId]).toEqual([["u1"], "u2"]);
    held.u2.resolve();
    await later;
    expect(committedOf(upload)?.sha256).toBe(wholeSha256(3));
  });

  it("that is gone while another part fails for another reason is restarted by the next attempt", async () => {
    const upload = uploadOf(4, {
      putPart: async (_key, _id, part) => {
        await later(part);
        return fail(storeFailure({ reason: part === 1 ? "network_lost" : "no_such_upload" }));
      },
    });
    await uploadInParts(upload.work);
    expect(upload.events.slice(-2).map((event) => event.type)).toEqual(["UploadLost", "AttemptFailed"]);
  });

  it("that may not overwrite an object is committed if the object has exactly its bytes; otherwise the run ends", async () => {
    const refused = fail(storeFailure({ reason: "precondition_failed", retryable: false }));
    const there = uploadOf(2, { completeUpload: async () => refused });
    await uploadInParts(there.work);
    expect(committedOf(there)).toMatchObject({ verification: "size+etag" });
    const other = uploadOf(2, {
      completeUpload: async () => refused,
      head: async () => ok({ bytes: 2 * 16 * MIB, etag: "0".repeat(32) }),
    });
    await uploadInParts(other.work);
    expect(other.events.at(-1)).toMatchObject({ type: "RunFailed", failure: { reason: "store" } });
  });
});
