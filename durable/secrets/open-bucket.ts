import type { Credentials, DestinationConfig } from "../../src/domain/destination/records.ts";
import type { ExportRunFailure, StoreFailure } from "../../src/domain/shared/failures.ts";
import { fail, type Result } from "../../src/domain/shared/result.ts";
import { openS3Store, type StoreOptions } from "../../src/s3/client.ts";
import { readSettings } from "../../src/settings.ts";
import type { Store } from "../../src/store/store.ts";
import { destination } from "../protocol/actors.ts";
import type { Access } from "../protocol/destination.ts";
import type { Env } from "../protocol/env.ts";
import { openCredentials } from "./vault.ts";

/**
 * Chooses the adapter of a bucket; no other file does. Sends no request; fails if the configuration or the credentials
 * cannot work.
 */
export const openStore = (
  env: Env,
  config: DestinationConfig,
  credentials: Credentials,
  options: Pick<StoreOptions, "etags" | "signal" | "giveUp"> = {},
): Result<Store, StoreFailure> =>
  openS3Store(config, credentials, { ...options, allowLoopback: readSettings(env).allowLoopbackEndpoints });

/**
 * Opens a destination's bucket with its present credentials. Each step opens it again, so that rotation takes effect.
 * `giveUp`: as in StoreOptions.
 */
export async function openBucket(
  env: Env,
  tenantId: string,
  destinationId: string,
  giveUp?: AbortSignal,
): Promise<Result<Store, ExportRunFailure>> {
  const access = await destination(env, destinationId).access(tenantId);
  if (access === null) return fail({ reason: "destination_deleted" });
  return openWith(env, destinationId, access, giveUp === undefined ? {} : { giveUp });
}

/** Opens a destination's bucket with that access. */
export async function openWith(
  env: Env,
  destinationId: string,
  access: Access,
  options: Pick<StoreOptions, "signal" | "giveUp">,
): Promise<Result<Store, ExportRunFailure>> {
  const credentials =
    access.envelope === null
      ? readSettings(env).environmentCredentials
      : await openCredentials(env, destinationId, access.envelope);
  if (credentials === null) return fail({ reason: "processing", message: CREDENTIALS_LOST });
  const store = openStore(env, access.config, credentials, { ...options, etags: access.etags });
  return store.ok ? store : fail({ reason: "store", store: store.failure });
}

const CREDENTIALS_LOST =
  "The destination's credentials cannot be decrypted: send them again (PATCH the destination), or restore the installation's master key.";
