import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WaybillConfig } from "../../dev/config.ts";
import type { Settings } from "../../dev/settings.ts";
import { type RunningWaybill, startWaybill } from "../../dev/start.ts";

/** A real service for one test file. `stop` deletes its folder. */
export interface OwnWaybill extends RunningWaybill {
  /** Holds the state of the service and files of the tests. */
  readonly folder: string;
}

export async function startOwnWaybill(settings: Settings = {}): Promise<OwnWaybill> {
  const folder = mkdtempSync(join(tmpdir(), "waybill-test-"));
  const waybill = await startWaybill({ port: null, stateDir: join(folder, "state"), settings });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { ...waybill, folder, stop: () => waybill.stop().finally(remove) };
}

/** Sends a request of the public API. */
export type Ask = (method: string, path: string, body?: object) => Promise<Response>;

export const askerOf =
  ({ url, api_key, workspace_id }: WaybillConfig): Ask =>
  (method, path, body) =>
    fetch(`${url}${path}`, {
      method,
      headers: { "X-API-Key": api_key, "X-Tenant-Id": workspace_id, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
