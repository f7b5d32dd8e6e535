import { accessSync, constants, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { localBucket } from "./bucket-address.ts";
import { readConfig, type WaybillConfig, writeConfig } from "./config.ts";
import { DevFailure } from "./failure.ts";
import { assertPortIsFree, freePort } from "./ports.ts";
import { secretsOf } from "./secrets.ts";
import { type Settings, writeSettings } from "./settings.ts";
import { lockState } from "./state-lock.ts";
import { createWorkspace, isKnown } from "./workspace.ts";
import { hasFailedBuild, hasPortConflict, lastLogLines, startWrangler, type Wrangler } from "./wrangler.ts";

export interface StartOptions {
  /** null: any free port. */
  readonly port: number | null;
  readonly stateDir: string;
  readonly settings: Settings;
}

/** The service and the customer's bucket, running on this machine. */
export interface RunningWaybill {
  readonly config: WaybillConfig;
  readonly logFile: string;
  /** Process group of wrangler and workerd; the benchmark counts its CPU time. */
  readonly groupId: number;
  /** Resolves when the service has ended: by `stop`, unexpectedly, or because workerd crashed and did not come back. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const POLL_INTERVAL_MS = 100;
/** wrangler needs less than a second for another workerd. If that one does not answer, requests wait forever. */
const RECOVERED_WITHIN_MS = 10_000;
const LOG_LINES_SHOWN = 15;

/** Attempts, if another program takes the port between the check and its use. */
const MAX_STARTS = 3;

class PortTaken extends DevFailure {}

/**
 * Starts the service, waits until it answers, and creates a workspace and a key, or uses those of an earlier start in the
 * same state directory. Throws a DevFailure that says what to do if the start fails.
 */
export const startWaybill = async (options: StartOptions): Promise<RunningWaybill> => {
  for (let starts = 1; ; starts++) {
    try {
      return await startOnce(options);
    } catch (failure) {
      if (isDiskFull(failure)) {
        throw new DevFailure(`The disk of ${options.stateDir} is full. Make room, or choose another with STATE_DIR.`);
      }
      if (!(failure instanceof PortTaken) || starts === MAX_STARTS) throw failure;
    }
  }
};

const isDiskFull = (failure: unknown): boolean =>
  failure instanceof Error && "code" in failure && (failure.code === "ENOSPC" || failure.code === "EDQUOT");

const startOnce = async (options: StartOptions): Promise<RunningWaybill> => {
  const stateDir = resolve(options.stateDir);
  makeDirectory(stateDir);
  const port = options.port ?? (await freePort());
  await assertPortIsFree(port);
  const earlier = readConfig(stateDir);
  const unlock = lockState(stateDir);
  const secrets = secretsOf(stateDir);
  const envFiles = [writeSettings(stateDir, options.settings), secrets.envFile];
  const wrangler = startWrangler({ port, inspectorPort: await freePort(), stateDir, envFiles });
  const stop = (): Promise<void> => wrangler.stop().finally(unlock);
  try {
    const url = `http://127.0.0.1:${port}`;
    await untilReady(url, wrangler);
    const config = await configure(url, stateDir, secrets.adminKey, earlier);
    wrangler.onCrash(async () => {
      if (!(await recovers(url))) await wrangler.stop();
    });
    return { config, logFile: wrangler.logFile, groupId: wrangler.groupId, ended: wrangler.ended, stop };
  } catch (failure) {
    await stop();
    throw failure;
  }
};

const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new DevFailure(
      `The state directory ${path} cannot be written (${code}). Choose another with STATE_DIR=.dev2.`,
    );
  }
};

const configure = async (
  url: string,
  stateDir: string,
  adminKey: string,
  earlier: WaybillConfig | null,
): Promise<WaybillConfig> => {
  const known = earlier && { workspaceId: earlier.workspace_id, apiKey: earlier.api_key };
  const workspace = known && (await isKnown(url, known)) ? known : await createWorkspace(url, adminKey, "local");
  const config: WaybillConfig = {
    url,
    workspace_id: workspace.workspaceId,
    api_key: workspace.apiKey,
    admin_key: adminKey,
    s3: localBucket(url),
  };
  writeConfig(stateDir, config);
  return config;
};

const untilReady = async (url: string, wrangler: Wrangler): Promise<void> => {
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  const ended = wrangler.ended.then(() => "ended" as const);
  while (Date.now() < giveUpAt) {
    const state = await Promise.race([ended, answers(url)]);
    if (state === "ended") {
      const Failure = hasPortConflict(wrangler.logFile) ? PortTaken : DevFailure;
      throw new Failure(`wrangler ended before it was ready. ${logTail(wrangler)}`);
    }
    if (state === "ready") return;
    // After a failed build, wrangler waits for a change of the source.
    if (hasFailedBuild(wrangler.logFile)) throw new DevFailure(`The service does not build. ${logTail(wrangler)}`);
    await new Promise((resume) => setTimeout(resume, POLL_INTERVAL_MS));
  }
  throw new DevFailure(`The service did not answer within ${READY_WITHIN_MS / 1000} s. ${logTail(wrangler)}`);
};

const recovers = async (url: string): Promise<boolean> => {
  const giveUpAt = Date.now() + RECOVERED_WITHIN_MS;
  for (let left = RECOVERED_WITHIN_MS; left > 0; left = giveUpAt - Date.now()) {
    if ((await answers(url, left)) === "ready") return true;
    await new Promise((resume) => setTimeout(resume, POLL_INTERVAL_MS));
  }
  return false;
};

const answers = async (url: string, withinMs = READY_WITHIN_MS): Promise<"ready" | "not yet"> => {
  try {
    const answer = await fetch(`${url}/ok`, { signal: AbortSignal.timeout(withinMs) });
    await answer.body?.cancel();
    return answer.ok ? "ready" : "not yet";
  } catch {
    return "not yet";
  }
};

const logTail = (wrangler: Wrangler): string =>
  `The end of its log (${wrangler.logFile}):\n\n${lastLogLines(wrangler.logFile, LOG_LINES_SHOWN)}`;
