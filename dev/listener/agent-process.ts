import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../ports.ts";
import type { Work } from "./protocol.ts";

/** A revision that runs as a process on this machine. */
export interface AgentProcess {
  readonly revisionId: string;
  readonly url: string;
  /** Waits until `GET /ok` is answered with 200; null: it was in time. Otherwise the reason. */
  untilHealthy(withinMs: number): Promise<string | null>;
  stop(): void;
}

const POLL_INTERVAL_MS = 100;
const MAX_LOG_CHARACTERS = 1000;

/** The folder of the agent: the last part of the name of the image or repository, without tag. */
const FOLDER_NAME = /([A-Za-z0-9_-][A-Za-z0-9._-]*?)(?:\.git|:[A-Za-z0-9._-]+)?$/;

/** Starts `<directory>/<name>/server.mjs`. Returns an error text if there is no such file. */
export const startAgent = async (directory: string, work: Work): Promise<AgentProcess | string> => {
  const name = FOLDER_NAME.exec(work.image_uri ?? work.repo_url ?? "")?.[1];
  const program = name === undefined ? null : join(directory, name, "server.mjs");
  if (program === null || !existsSync(program)) return `This listener has no agent "${name ?? ""}".`;
  const port = await freePort();
  // Of the listener's own environment only PATH is passed on: the rest may hold keys.
  const env = { ...work.env, PATH: process.env.PATH ?? "", PORT: String(port) };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
  const url = `http://127.0.0.1:${port}`;
  const output = tail(child);
  return {
    revisionId: work.revision_id,
    url,
    untilHealthy: (withinMs) => untilHealthy(child, url, output, Date.now() + withinMs),
    stop: () => void child.kill(),
  };
};

const untilHealthy = async (
  child: ChildProcess,
  url: string,
  output: () => string,
  giveUpAt: number,
): Promise<string | null> => {
  let last = "it did not answer";
  while (Date.now() < giveUpAt) {
    if (child.exitCode !== null) return `The process ended with code ${child.exitCode}: ${output()}`;
    const status = await healthOf(url);
    if (status === 200) return null;
    if (status !== null) last = `it answered ${status}`;
    await new Promise((resume) => setTimeout(resume, POLL_INTERVAL_MS));
  }
  return `GET /ok was not answered with 200 in time; ${last}. ${output()}`;
};

const healthOf = async (url: string): Promise<number | null> => {
  try {
    const answer = await fetch(`${url}/ok`, { signal: AbortSignal.timeout(1000) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
};

const tail = (child: ChildProcess): (() => string) => {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (part: Buffer) => {
      text = (text + part.toString()).slice(-MAX_LOG_CHARACTERS);
    });
  }
  return () => text;
};
