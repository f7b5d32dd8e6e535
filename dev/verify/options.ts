import { parseArgs } from "node:util";
import { withUsage } from "../usage.ts";

const USAGE = `Usage: npm run verify -- <what> [--full] [--endpoint <url>]

  <what>      an export id (of the service that npm run dev runs), or a manifest: a path, s3://bucket/key, or a URL
  --full      read every file and check its SHA-256 and its rows
  --endpoint  address of the store, if it is not AWS

Credentials for the bucket come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION. The
bucket of npm run dev needs none.`;

export interface VerifyOptions {
  /** An export id, or the address of a manifest. */
  readonly what: string;
  readonly full: boolean;
  /** null: AWS, or the bucket of the local service. */
  readonly endpoint: string | null;
}

/** Reads the command line. Throws a DevFailure with the usage if it is not valid. */
export const readOptions = (args: readonly string[]): VerifyOptions =>
  withUsage(USAGE, () => {
    const options = { full: { type: "boolean" }, endpoint: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [what, ...others] = positionals;
    if (what === undefined || others.length > 0) throw new Error("Name one export or one manifest.");
    const { endpoint = null } = values;
    if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
      throw new Error(`--endpoint must be an address such as https://s3.example.com; it is "${endpoint}".`);
    return { what, full: values.full ?? false, endpoint };
  });
