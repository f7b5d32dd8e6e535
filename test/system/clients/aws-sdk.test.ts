import { createHash } from "node:crypto";
import { GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listObjects, s3Client } from "../../../dev/download.ts";
import { type Laboratory, openLaboratory } from "../readers/exported.ts";
import { sentRuns } from "../readers/sent-runs.ts";

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(sentRuns());
});

afterAll(() => laboratory?.close());

it("The AWS SDK lists exactly the files that the export's runs name, and gets them completely", async () => {
  const exported = await laboratory.exportTo("listed");
  const { s3 } = laboratory.waybill.config;
  const client = s3Client(s3);
  try {
    const objects = await listObjects(client, s3.bucket_name, "listed/export_id=");
    const named = exported.state.runs.flatMap((run) => run.metadata.result?.exported_files ?? []);
    expect(objects.map(({ key }) => `${s3.bucket_name}/${key}`).toSorted()).toEqual(named.toSorted());
    for (const { key, bytes } of objects) {
      const object = { Bucket: s3.bucket_name, Key: key };
      const { Body, ETag } = await client.send(new GetObjectCommand(object));
      const content = (await Body?.transformToByteArray()) ?? new Uint8Array();
      expect(content.length, key).toBe(bytes);
      expect(new TextDecoder().decode(content.slice(0, 4)) + new TextDecoder().decode(content.slice(-4))).toBe(
        "PAR1PAR1",
      );
      const head = await client.send(new HeadObjectCommand(object));
      expect(head.ContentLength, key).toBe(bytes);
      // A file below one part is a single PUT, whose ETag is the MD5 of its bytes.
      if (!ETag?.includes("-")) expect(ETag).toBe(`"${createHash("md5").update(content).digest("hex")}"`);
    }
  } finally {
    client.destroy();
  }
});

it("The test file of the destination check was deleted, because this bucket allows deletes", async () => {
  const exported = await laboratory.exportTo("probed");
  expect(exported.objects.filter(({ key }) => key.includes("/tmp/"))).toEqual([]);
});
