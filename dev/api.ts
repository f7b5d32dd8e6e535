import type { BucketAddress } from "./bucket-address.ts";
import { DevFailure, TransientFailure } from "./failure.ts";

/** Address and key of one workspace for the public API; members of `WaybillConfig`. */
export interface ApiAccess {
  readonly url: string;
  readonly workspace_id: string;
  readonly api_key: string;
}

/** Body that creates an export [EXP-8]. Absent members have the service's defaults. */
export interface ExportRequest {
  readonly bulk_export_destination_id: string;
  readonly session_id: string;
  readonly start_time: string;
  readonly end_time?: string;
  readonly interval_hours?: number;
  readonly export_fields?: readonly string[];
  readonly filter?: string | null;
  readonly format_version?: string;
  readonly compression?: string;
}

/** The members of an export that the tools of this repository use. */
export interface ExportAnswer {
  readonly id: string;
  readonly status: string;
  readonly start_time: string;
  readonly end_time: string | null;
  readonly source_bulk_export_id: string | null;
  readonly rows_written: number;
}

/** An event of an export. */
export interface EventAnswer {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
}

/** The members of an export's runs that the tools of this repository use. */
export interface ExportRunAnswer {
  readonly id: string;
  readonly status: string;
  readonly errors: Readonly<Record<string, unknown>> | null;
  readonly metadata: {
    readonly start_time: string;
    readonly end_time: string;
    readonly result: {
      readonly rows_written: number;
      readonly rows_planned: number;
      readonly exported_files: readonly string[];
      readonly export_path: string;
    } | null;
    readonly open_upload: { readonly key: string; readonly upload_id: string; readonly error: string | null } | null;
  };
}

/** The status of an export and its runs. */
export interface ExportState {
  readonly status: string;
  readonly runs: readonly ExportRunAnswer[];
}

const BULK_EXPORTS = "/api/v1/bulk-exports";
const IN_PROGRESS = ["CREATED", "RUNNING"];

/** Creates a destination for the bucket and returns its id. */
export const createDestination = async (api: ApiAccess, bucket: BucketAddress, prefix: string): Promise<string> => {
  const { bucket_name, region, endpoint_url, access_key_id, secret_access_key } = bucket;
  const body = {
    destination_type: "s3",
    display_name: "local bucket",
    config: { bucket_name, prefix, region, endpoint_url },
    credentials: { access_key_id, secret_access_key },
  };
  return (await ask<{ id: string }>(api, "POST", `${BULK_EXPORTS}/destinations`, body)).id;
};

/** Creates an export and returns its id. */
export const createExport = async (api: ApiAccess, request: ExportRequest): Promise<string> =>
  (await ask<{ id: string }>(api, "POST", BULK_EXPORTS, request)).id;

/** Status of an export, without its runs. */
export const readStatus = async (api: ApiAccess, exportId: string): Promise<string> =>
  (await ask<{ status: string }>(api, "GET", `${BULK_EXPORTS}/${exportId}`)).status;

/** All exports of the workspace, newest first. */
export const listExports = (api: ApiAccess): Promise<readonly ExportAnswer[]> => ask(api, "GET", BULK_EXPORTS);

/** Cancels an export and returns its final record. */
export const cancelExport = (api: ApiAccess, exportId: string): Promise<ExportAnswer> =>
  ask(api, "PATCH", `${BULK_EXPORTS}/${exportId}`, { status: "Cancelled" });

/** The first 1,000 events of an export. */
export const readEvents = async (api: ApiAccess, exportId: string): Promise<readonly EventAnswer[]> =>
  (await ask<{ events: EventAnswer[] }>(api, "GET", `${BULK_EXPORTS}/${exportId}/events?limit=1000`)).events;

/**
 * Polls an export until it has ended and returns its last state. Calls `onPoll` after each poll. Throws a DevFailure if
 * the final status is not COMPLETED.
 */
export const untilCompleted = async (
  api: ApiAccess,
  exportId: string,
  pollIntervalMs: number,
  onPoll: (state: ExportState) => void = () => {},
): Promise<ExportState> => {
  for (;;) {
    const status = await readStatus(api, exportId);
    const runs = await ask<ExportRunAnswer[]>(api, "GET", `${BULK_EXPORTS}/${exportId}/runs`);
    const state = { status, runs };
    onPoll(state);
    if (status === "COMPLETED") return state;
    if (!IN_PROGRESS.includes(status)) {
      throw new DevFailure(`The export ended as ${status}: ${JSON.stringify(runs.map((run) => run.errors))}`);
    }
    await new Promise((resume) => setTimeout(resume, pollIntervalMs));
  }
};

/** Id of the project with this name. The first run sent to a project creates it. */
export const projectId = async (api: ApiAccess, name: string): Promise<string> => {
  const [project] = await ask<{ id: string }[]>(api, "GET", `/api/v1/sessions?name=${encodeURIComponent(name)}`);
  if (project === undefined) throw new DevFailure(`There is no project "${name}".`);
  return project.id;
};

/** Creates an empty project and returns its id. */
export const createProject = async (api: ApiAccess, name: string): Promise<string> =>
  (await ask<{ id: string }>(api, "POST", "/api/v1/sessions", { name })).id;

/** The manifest of a COMPLETED export, byte for byte. */
export const manifestText = (api: ApiAccess, exportId: string): Promise<string> =>
  askText(api, "GET", `${BULK_EXPORTS}/${exportId}/manifest`);

/** The bucket of a destination, without credentials. */
export interface DestinationConfigAnswer {
  readonly bucket_name: string;
  readonly region: string | null;
  readonly endpoint_url: string | null;
}

/** The bucket that an export is written to. Throws a DevFailure if its destination was deleted. */
export const destinationOf = async (api: ApiAccess, exportId: string): Promise<DestinationConfigAnswer> => {
  const { bulk_export_destination_id: id } = await ask<{ bulk_export_destination_id: string }>(
    api,
    "GET",
    `${BULK_EXPORTS}/${exportId}`,
  );
  return (await ask<{ config: DestinationConfigAnswer }>(api, "GET", `${BULK_EXPORTS}/destinations/${id}`)).config;
};

/** Sends one request to the API. Throws a DevFailure if it gets no answer or an error. */
export const ask = async <Answer>(api: ApiAccess, method: string, path: string, body?: unknown): Promise<Answer> =>
  // The interface defines this shape; test/http checks it.
  JSON.parse(await askText(api, method, path, body)) as Answer;

const askText = async (api: ApiAccess, method: string, path: string, body?: unknown): Promise<string> => {
  const request = {
    method,
    headers: { "X-API-Key": api.api_key, "X-Tenant-Id": api.workspace_id, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const { status, text } = await answerTo(`${api.url}${path}`, request).catch(() => {
    throw new TransientFailure(`No answer from ${api.url}. Start the service (npm run dev), or correct the address.`);
  });
  if (status < MIN_ERROR_STATUS) return text;
  const Failure = status === TOO_MANY_REQUESTS || status >= MIN_FAULT_STATUS ? TransientFailure : DevFailure;
  throw new Failure(`${method} ${path} was answered with ${status}: ${text}`);
};

const MIN_ERROR_STATUS = 300;
const TOO_MANY_REQUESTS = 429;
const MIN_FAULT_STATUS = 500;

const answerTo = async (url: string, request: RequestInit): Promise<{ status: number; text: string }> => {
  const answer = await fetch(url, request);
  return { status: answer.status, text: await answer.text() };
};
