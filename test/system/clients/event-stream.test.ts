import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cancelExport, createDestination, createExport, createProject, readEvents } from "../../../dev/api.ts";
import { type OwnWaybill, startOwnWaybill } from "../../support/own-waybill.ts";
import { listen, type ReceivedEvent } from "./event-source.ts";

let waybill: OwnWaybill;
let destinationId: string;
let projectId: string;
let headers: Readonly<Record<string, string>>;

beforeAll(async () => {
  waybill = await startOwnWaybill();
  const { config } = waybill;
  headers = { "X-API-Key": config.api_key, "X-Tenant-Id": config.workspace_id };
  destinationId = await createDestination(config, config.s3, "events");
  projectId = await createProject(config, "events");
});

afterAll(() => waybill?.stop());

const streamOf = (exportId: string, dropAfter?: number): AsyncGenerator<ReceivedEvent> =>
  listen(`${waybill.config.url}/api/v1/bulk-exports/${exportId}/events`, headers, dropAfter);

/** All events of the stream, until the server ends it. */
const all = async (stream: AsyncGenerator<ReceivedEvent>): Promise<ReceivedEvent[]> => {
  const received: ReceivedEvent[] = [];
  for await (const event of stream) received.push(event);
  return received;
};

describe("the live stream of an export's events", () => {
  it("sends each event once to a client whose connection is lost repeatedly, and then reports the end", async () => {
    const exportId = await createExport(waybill.config, {
      bulk_export_destination_id: destinationId,
      session_id: projectId,
      start_time: "2024-05-01T00:00:00Z",
      end_time: "2024-05-06T00:00:00Z",
    });
    const [whole, broken] = await Promise.all([all(streamOf(exportId)), all(streamOf(exportId, 4))]);
    const listed = await readEvents(waybill.config, exportId);
    for (const received of [whole, broken]) {
      expect(received.map(({ data }) => JSON.parse(data))).toEqual(listed);
      expect(received.map(({ id, type }) => [id, type])).toEqual(listed.map(({ seq, type }) => [String(seq), type]));
    }
    expect(listed.at(-1)?.type).toBe("ExportCompleted");
  });

  it("sends new events to a connected client, and ends with the export", async () => {
    const scheduleId = await createExport(waybill.config, {
      bulk_export_destination_id: destinationId,
      session_id: projectId,
      start_time: "2100-01-01T00:00:00Z",
      interval_hours: 24,
    });
    const stream = streamOf(scheduleId);
    expect((await stream.next()).value).toMatchObject({ id: "1", type: "ExportCreated" });
    await cancelExport(waybill.config, scheduleId);
    expect((await all(stream)).map(({ id, type }) => [id, type])).toEqual([["2", "ExportCancelled"]]);
  });
});
