import { describe, expect, it } from "vitest";
import { filesOf } from "./bucket-contents.ts";
import { DAY_ONE, type Export, useLaboratory } from "./exporting.ts";
import { QUICK } from "./laboratory.ts";

const { begin, exportUnder, outcomeOf, undisturbed, laboratory } = useLaboratory(QUICK);

const requestsOf = (operation: string) => laboratory().s3.requests.filter((one) => one.operation === operation);
const order = (path: string) => laboratory().ask("POST", `/api/v1/bulk-exports/${path}`);

/** What has happened so far, by the events of the first day's run. */
const eventsOfFirstRun = async ({ exportId }: Export): Promise<readonly string[]> => {
  const [first] = await laboratory().runsOf(exportId);
  const answer = await laboratory().ask("GET", `/api/v1/bulk-exports/${exportId}/runs/${first?.id}/events?limit=1000`);
  const { events } = (await answer.json()) as { events: readonly { type: string }[] }; // test/http checks the shape
  return events.map(({ type }) => type);
};

describe("an export paused during the upload of parts", () => {
  it("keeps them, repeats nothing and uses no retry: the bytes are those of an undisturbed export", async () => {
    const paused = Promise.withResolvers<void>();
    const begun = await begin([{ operation: "put_part", count: 2, fault: "slow", until: paused.promise }]);
    await expect.poll(() => requestsOf("put_part").length).toBe(2);
    expect((await order(`${begun.exportId}/pause`)).status).toBe(200);
    paused.resolve();
    const partsKept = async () => (await eventsOfFirstRun(begun)).filter((type) => type === "PartUploaded").length;
    await expect.poll(partsKept).toBe(2);
    await laboratory().s3.settled();
    expect((await eventsOfFirstRun(begun)).at(-1)).toBe("PartUploaded");
    expect(requestsOf("complete_upload")).toEqual([]);

    expect((await order(`${begun.exportId}/resume`)).status).toBe(200);
    const outcome = await outcomeOf(begun);
    expect(outcome.status).toBe("COMPLETED");
    expect(outcome.contents).toEqual(undisturbed());
    expect(outcome.errors).toEqual([{}, {}]);
    expect([requestsOf("create_upload").length, requestsOf("put_part").length]).toEqual([1, 2]);
  });

  it("aborts its upload when it is cancelled then", async () => {
    const cancelled = Promise.withResolvers<void>();
    const begun = await begin([{ operation: "put_part", count: 2, fault: "slow", until: cancelled.promise }]);
    await expect.poll(() => requestsOf("put_part").length).toBe(2);
    expect((await order(`${begun.exportId}/pause`)).status).toBe(200);
    const path = `/api/v1/bulk-exports/${begun.exportId}`;
    expect((await laboratory().ask("PATCH", path, { status: "Cancelled" })).status).toBe(200);
    cancelled.resolve();
    expect((await outcomeOf(begun)).status).toBe("CANCELLED");
    await expect.poll(() => laboratory().s3.openUploads(`${begun.prefix}/`)).toEqual([]);
  });
});

describe("the open upload of a failed run", () => {
  it("is aborted as soon as the store allows it", async () => {
    const outcome = await exportUnder(
      { operation: "put_part", after: 1, count: "always", fault: "access_denied" },
      { operation: "abort_upload", count: 3, fault: "internal_error" },
    );
    expect(outcome.status).toBe("FAILED");
    await expect.poll(() => requestsOf("abort_upload").length).toBe(4);
    await expect.poll(() => laboratory().s3.openUploads("export-")).toEqual([]);
  });
});

describe("an export cancelled while _SUCCESS is being written", () => {
  it("leaves none, even if it cannot be deleted at first", async () => {
    const cancelled = Promise.withResolvers<void>();
    const begun = await begin([
      { operation: "put", key: /_SUCCESS/, fault: "slow", until: cancelled.promise },
      { operation: "remove", key: /_SUCCESS/, count: 2, fault: "internal_error" },
    ]);
    const isBeingWritten = () => requestsOf("put").some((one) => one.key.endsWith("_SUCCESS"));
    await expect.poll(isBeingWritten).toBe(true);
    const path = `/api/v1/bulk-exports/${begun.exportId}`;
    expect((await laboratory().ask("PATCH", path, { status: "Cancelled" })).status).toBe(200);
    cancelled.resolve();
    await expect.poll(() => requestsOf("remove").length).toBe(3);
    const outcome = await outcomeOf(begun);
    expect(outcome.status).toBe("CANCELLED");
    expect(Object.keys(outcome.contents).filter((key) => key.endsWith("_SUCCESS"))).toEqual([]);
  });
});

describe("a failed run retried", () => {
  it("is a new export of its day only, with the bytes of that day in an undisturbed export", async () => {
    const begun = await begin([{ operation: "put_part", count: "always", fault: "access_denied" }]);
    const failed = await outcomeOf(begun);
    expect(failed.status).toBe("FAILED");
    laboratory().s3.setRules();
    const answer = await order(`${begun.exportId}/runs/${failed.runs[0]?.id}/retry`);
    expect(answer.status).toBe(200);
    const { id } = (await answer.json()) as { id: string }; // test/http checks the shape
    const ended = await laboratory().untilEnded(id);
    expect(ended.status).toBe("COMPLETED");
    const names = { exportId: id, runIds: ended.runs.map((run) => run.id), prefix: begun.prefix };
    const contents = await laboratory().contents(names);
    for (const key of filesOf(undisturbed()).filter((one) => DAY_ONE.test(one)))
      expect(contents[key], key).toBe(undisturbed()[key]);
  });
});
