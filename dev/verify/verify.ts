import { exportFolder } from "../../src/domain/destination/layout.ts";
import { listObjects } from "../download.ts";
import { checkContents } from "./contents.ts";
import { explained } from "./explain.ts";
import { compareListing, isProvenByEtag } from "./listing.ts";
import { filesOf, type Manifest } from "./manifest.ts";
import { checkMarker } from "./marker.ts";
import { readOptions, type VerifyOptions } from "./options.ts";
import { type Subject, subjectOf } from "./subject.ts";

/** Verifies the export that the command line names and prints the problems; false: there are problems. */
export const verify = async (args: readonly string[]): Promise<boolean> => {
  const options = readOptions(args);
  try {
    const subject = await subjectOf(options);
    try {
      return await verifySubject(subject, options);
    } finally {
      subject.client.destroy();
    }
  } catch (error) {
    throw explained(error);
  }
};

const verifySubject = async (subject: Subject, { full }: VerifyOptions): Promise<boolean> => {
  const { client, manifest } = subject;
  const files = filesOf(manifest);
  console.log(
    `Export ${manifest.export_id}: ${count(files.length, "file")}, ${count(manifest.rows, "row")}, ${count(manifest.bytes, "byte")} in the bucket ${manifest.bucket_name}\n`,
  );
  const objects = await listObjects(
    client,
    manifest.bucket_name,
    `${exportFolder(manifest.prefix, manifest.export_id)}/`,
  );
  const problems = [...totals(manifest), ...(await checkMarker(subject)), ...compareListing(files, objects, { full })];
  for (const problem of problems) console.log(problem);

  let found = problems.length;
  if (full) {
    const readable = files.filter((file) => objects.some(({ key, bytes }) => key === file.key && bytes === file.bytes));
    for (const file of readable) {
      for (const problem of await checkContents(client, manifest.bucket_name, file)) {
        console.log(problem);
        found += 1;
      }
    }
  }
  if (found > 0) {
    console.log(`\n${count(found, "problem")}: the bucket differs from what the export wrote.`);
    return false;
  }
  const byEtag = files.filter((file) => isProvenByEtag(file, objects)).length;
  const how = full
    ? "every file read: SHA-256 and rows agree"
    : `${byEtag} proven by the MD5s in their ETags, ${files.length - byEtag} by size and unchanged ETag`;
  console.log(`Complete: nothing is missing, changed or extra; ${how}.`);
  return true;
};

const totals = (manifest: Manifest): readonly string[] => {
  const files = filesOf(manifest);
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (rows === manifest.rows && bytes === manifest.bytes) return [];
  return [`CHANGED  the manifest: its files add up to ${rows} rows and ${bytes} bytes. Take the one in the bucket.`];
};

const count = (number: number, noun: string): string =>
  `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
