import type { SettingVariables } from "../../src/settings.ts";

/** Bindings, secrets and settings of the Worker, from wrangler.toml and the environment. */
export interface Env extends SettingVariables {
  readonly SEGMENTS: R2Bucket;
  readonly WORKSPACE: DurableObjectNamespace;
  readonly DESTINATION: DurableObjectNamespace;
  readonly EXPORT: DurableObjectNamespace;
  readonly EXPORT_RUN: DurableObjectNamespace;
  readonly TRACE_SHARD: DurableObjectNamespace;
  readonly UNROUTED: DurableObjectNamespace;
  readonly PROVIDERS: DurableObjectNamespace;
  readonly GRANT: DurableObjectNamespace;
  readonly RATE_LIMITER: DurableObjectNamespace;
  readonly FLEET: DurableObjectNamespace;
  readonly DEPLOYMENT: DurableObjectNamespace;
  readonly LISTENER: DurableObjectNamespace;
  /** Loads agent servers; absent if the platform has no Worker Loader. */
  readonly LOADER?: WorkerLoader;
  /** Secret: the key with which workspaces and their keys are created. */
  readonly ADMIN_KEY: string;
  /** Secret: 32 bytes in base64, or several as `<key id>:<base64>` separated by commas; the first one seals. */
  readonly MASTER_KEYS: string;
}
