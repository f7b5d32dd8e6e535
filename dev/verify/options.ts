import { parseArgs } from "node:util";
import { tenantOfApiKey } from "../../src/secrets/api-key.ts";
import type { ApiAccess } from "../api.ts";
import { withUsage } from "../usage.ts";

const USAGE = `Usage: npm run verify -- <what> [--full] [--endpoint <url>] [--url <url> --key <key>]

  <what>      an export id, or a manifest: a path, s3://bucket/key, or a URL
  --full      read every file and check its SHA-256 and its rows
  --endpoint  address of the store; without it that of the export's destination, or AWS for a manifest
  --url       address of the service that has the export; without it the one that npm run dev runs
  --key       an API key of the export's workspace in that service

Credentials for the bucket come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION. The
bucket of npm run dev needs none.`;

export interface VerifyOptions {
  /** An export id, or the address of a manifest. */
  readonly what: string;
  readonly full: boolean;
  /** null: that of the export's destination; of a manifest AWS. */
  readonly endpoint: string | null;
  /** The service that has the export; null: the one that npm run dev runs. */
  readonly service: ApiAccess | null;
}

/** Reads the command line. Throws a DevFailure with the usage if it is not valid. */
export const readOptions = (args: readonly string[]): VerifyOptions =>
  withUsage(USAGE, () => {
    const text = { type: "string" } as const;
    const options = { full: { type: "boolean" }, endpoint: text, url: text, key: text } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [what, ...others] = positionals;
    if (what === undefined || others.length > 0) throw new Error("Name one export or one manifest.");
    const { endpoint = null, url = null, key = null } = values;
    if (endpoint !== null && !isAddress(endpoint))
      throw new Error(`--endpoint must be an address such as https://s3.example.com; it is "${endpoint}".`);
    return { what, full: values.full ?? false, endpoint, service: serviceOf(url, key) };
  });

const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

const serviceOf = (url: string | null, key: string | null): ApiAccess | null => {
  if (url === null && key === null) return null;
  if (url === null || key === null) throw new Error("--url and --key belong together.");
  if (!isAddress(url)) throw new Error(`--url must be an address such as https://waybill.example.com; it is "${url}".`);
  const workspace = tenantOfApiKey(key);
  if (workspace === null) throw new Error("--key must be an API key: it begins with wbk_.");
  return { url: url.replace(/\/+$/, ""), workspace_id: workspace, api_key: key };
};
