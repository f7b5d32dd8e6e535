import { commandsToTry } from "./commands.ts";
import { stateDirectory } from "./config.ts";
import { DevFailure } from "./failure.ts";
import { settingsIn } from "./settings.ts";
import { startWaybill } from "./start.ts";
import { lastLogLines } from "./wrangler.ts";

const DEFAULT_PORT = 8787;
const HIGHEST_PORT = 65_535;
const LOG_LINES_SHOWN = 15;

/** Runs the service and a customer's bucket on this machine until Ctrl-C. Throws a DevFailure if they cannot run. */
export const serve = async (): Promise<void> => {
  const stopAsked = new Promise<"asked">((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => resolve("asked"));
  });
  const stateDir = stateDirectory();
  const starting = startWaybill({ port: portAsked(), stateDir, settings: settingsIn(process.env) });
  if ((await Promise.race([stopAsked, starting.then(() => "started" as const)])) === "asked") {
    await starting.then((waybill) => waybill.stop()).catch(() => {});
    return;
  }
  const waybill = await starting;
  console.log(greeting(waybill.config.url, waybill.config.workspace_id, waybill.config.api_key, stateDir));
  console.log(commandsToTry(waybill.config, stateDir));
  console.log(`Log: ${waybill.logFile}\nCtrl-C stops the service and keeps its state.`);
  const why = await Promise.race([stopAsked, waybill.ended.then(() => "crashed" as const)]);
  await waybill.stop();
  if (why === "crashed") {
    throw new DevFailure(
      `wrangler ended unexpectedly. The end of its log:\n\n${lastLogLines(waybill.logFile, LOG_LINES_SHOWN)}`,
    );
  }
};

const portAsked = (): number => {
  const text = process.env.PORT ?? String(DEFAULT_PORT);
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port <= HIGHEST_PORT) return port;
  throw new DevFailure(`PORT must be a number from 1 to ${HIGHEST_PORT}, not "${text}".`);
};

const greeting = (url: string, workspaceId: string, apiKey: string, stateDir: string): string => `
Waybill listens on ${url}

  workspace  ${workspaceId}
  API key    ${apiKey}
  state      ${stateDir} (addresses and keys for clients: ${stateDir}/waybill.json)

To send the traces of your own program, run it with

  export LANGSMITH_TRACING=true LANGSMITH_ENDPOINT=${url} LANGSMITH_API_KEY=${apiKey}
`;
