import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { DuckDBInstance } from "@duckdb/node-api";

/**
 * `node examples/quickstart/read.mjs <export id>`: downloads an export with the prefix `traces` from the bucket of
 * `npm run dev` into the folder .dev/bucket, and counts its runs with DuckDB.
 */
const exportId = process.argv[2];
if (exportId === undefined) throw new Error("Name an export by its id.");
const { s3 } = JSON.parse(readFileSync(".dev/waybill.json", "utf8"));
const FOLDER = ".dev/bucket";
const PREFIX = `traces/export_id=${exportId}`;

const client = new S3Client({
  endpoint: s3.endpoint_url,
  region: s3.region,
  forcePathStyle: true,
  credentials: { accessKeyId: s3.access_key_id, secretAccessKey: s3.secret_access_key },
});
const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: s3.bucket_name, Prefix: `${PREFIX}/` }));
for (const { Key = "" } of Contents) {
  const path = join(FOLDER, Key);
  mkdirSync(dirname(path), { recursive: true });
  const { Body } = await client.send(new GetObjectCommand({ Bucket: s3.bucket_name, Key }));
  writeFileSync(path, (await Body?.transformToByteArray()) ?? "");
  console.log(path);
}
client.destroy();

const duckdb = await (await DuckDBInstance.create()).connect();
const runs = `read_parquet('${FOLDER}/${PREFIX}/**/*.parquet', hive_partitioning = true)`;
const counted = await duckdb.runAndReadAll(
  `SELECT year::INT AS year, month::INT AS month, day::INT AS day, count(*)::INT AS runs FROM ${runs} GROUP BY ALL`,
);
console.table(counted.getRowObjectsJS());
