import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { DAY_MS, dayOf, isoFromMs } from "../src/domain/shared/time.ts";
import type { WaybillConfig } from "./config.ts";
import { writePrivateFile } from "./private-file.ts";

/** Project of the trace that the first command sends. */
const PROJECT = "first-steps";
/** Shell command that prints the first `"id"` of a JSON text. */
const ID_OF = `grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4`;

/**
 * Shell commands to paste one after the other: send a trace, create a destination, export to it. The headers of the
 * requests are written to a file in the state directory, which keeps the commands short.
 */
export const commandsToTry = (config: WaybillConfig, stateDir: string): string => {
  const now = Date.now();
  const exports = `${config.url}/api/v1/bulk-exports`;
  const curl = `curl -sS -H '@${writeHeaders(config, stateDir)}'`;
  const run = {
    id: randomUUID(),
    session_name: PROJECT,
    name: "hello",
    run_type: "chain",
    start_time: isoFromMs(now),
    end_time: isoFromMs(now + 1),
    inputs: { question: "Where do traces go?" },
    outputs: { answer: "Into your bucket." },
  };
  const { bucket_name, region, endpoint_url, access_key_id, secret_access_key } = config.s3;
  const destination = {
    destination_type: "s3",
    display_name: "local bucket",
    config: { bucket_name, prefix: "traces", region, endpoint_url },
    credentials: { access_key_id, secret_access_key },
  };
  const today = dayOf(now);
  const window = `"start_time":"${today}T00:00:00Z","end_time":"${dayOf(now + DAY_MS)}T00:00:00Z"`;
  const ids = `"bulk_export_destination_id":"'$DESTINATION'","session_id":"'$PROJECT'"`;
  return `Three things to try, in this order. Send a trace:

  ${curl} ${config.url}/runs -d '${JSON.stringify(run)}'

Create a destination for the local bucket:

  DESTINATION=$(${curl} ${exports}/destinations -d '${JSON.stringify(destination)}' | ${ID_OF}); echo $DESTINATION

Export today's traces to it, and show the export a moment later:

  PROJECT=$(${curl} '${config.url}/sessions?name=${PROJECT}' | ${ID_OF}); ${curl} ${exports} -d '{${ids},${window}}'; sleep 3; ${curl} ${exports}
`;
};

const writeHeaders = (config: WaybillConfig, stateDir: string): string => {
  const path = resolve(stateDir, "headers");
  const headers = [
    "Content-Type: application/json",
    `X-API-Key: ${config.api_key}`,
    `X-Tenant-Id: ${config.workspace_id}`,
  ];
  writePrivateFile(path, `${headers.join("\n")}\n`);
  return path;
};
