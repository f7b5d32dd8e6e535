import { commandsToTry } from "./commands.ts";
import { stateDirectory } from "./config.ts";
import { DevFailure } from "./failure.ts";
import { settingsIn } from "./settings.ts";
import { type RunningWaybill, startWaybill } from "./start.ts";
import { MAX_ENDS, supervise } from "./supervise.ts";
import { lastLogLines } from "./wrangler.ts";

const DEFAULT_PORT = 8787;
const HIGHEST_PORT = 65_535;
const LOG_LINES_SHOWN = 15;

/**
 * Runs the service and a customer's bucket on this machine until SIGINT or SIGTERM. A service that ends unexpectedly is
 * started again [LOC-14]. Throws a DevFailure if it cannot run.
 */
export const serve = async (): Promise<void> => {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop.abort());
  const stateDir = stateDirectory();
  const options = { port: requestedPort(), stateDir, settings: settingsIn(process.env) };
  await supervise<RunningWaybill>({
    start: () => startWaybill(options),
    stopRequested: stop.signal,
    started: (waybill, ends) =>
      ends === 0 ? greet(waybill, stateDir) : console.log(`Waybill listens on ${waybill.config.url} again.`),
    endedUnexpectedly: ({ logFile }, ends) => console.error(endedMessage(logFile, ends)),
  });
};

const endedMessage = (logFile: string, ends: number): string => `
The service ended unexpectedly${ends === 1 ? "" : `, ${ends} times in a row`}. The end of its log:

${lastLogLines(logFile, LOG_LINES_SHOWN)}
${ends === MAX_ENDS ? "" : "\nIt is started again."}`;

const greet = ({ config, logFile }: RunningWaybill, stateDir: string): void => {
  console.log(greeting(config.url, config.workspace_id, config.api_key, stateDir));
  console.log(commandsToTry(config, stateDir));
  console.log(`Log: ${logFile}\nCtrl-C stops the service and keeps its state.`);
};

const requestedPort = (): number => {
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
