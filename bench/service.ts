import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";
import type { ApiAccess } from "../dev/api.ts";
import { DevFailure } from "../dev/failure.ts";
import { createWorkspace } from "../dev/workspace.ts";
import { childrenOf } from "./processes.ts";

/** The service under test. */
export interface Service {
  readonly api: ApiAccess;
  /** Processes whose CPU time and memory are measured. */
  readonly processIds: readonly number[];
  stop(): Promise<void>;
}

const ROOT = dirname(import.meta.dirname);
const MASTER_KEY_BYTES = 32;

/**
 * Builds the Worker as for deployment and runs it in workerd. Not with `wrangler dev`, whose proxy, inspector and file
 * watcher would affect the measurement.
 */
export const startService = async (folder: string): Promise<Service> => {
  const bundle = buildInto(join(folder, "worker"));
  const settings = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  const { compatibility_date, compatibility_flags, durable_objects, r2_buckets, vars } = settings;
  const classes = durable_objects.bindings.map(({ name, class_name }: { name: string; class_name: string }) => [
    name,
    { className: class_name, useSQLite: true },
  ]);
  const adminKey = randomBytes(MASTER_KEY_BYTES).toString("base64url");
  const log = createWriteStream(join(folder, "service.log"));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "waybill",
      compatibilityDate: compatibility_date ?? "",
      compatibilityFlags: compatibility_flags,
      durableObjects: Object.fromEntries(classes),
      r2Buckets: r2_buckets.map(({ binding }: { binding: string }) => binding),
      modules: [{ type: "ESModule", path: bundle }],
      modulesRoot: dirname(bundle),
      host: "127.0.0.1",
      port: 0,
      cf: false,
      resourcePersistencePath: join(folder, "state"),
      logRequests: false,
      handleStructuredLogs: ({ message }: { readonly message: string }) => log.write(`${message}\n`),
      bindings: {
        ...vars,
        ADMIN_KEY: adminKey,
        MASTER_KEYS: `bench:${randomBytes(MASTER_KEY_BYTES).toString("base64")}`,
        ALLOW_LOOPBACK_ENDPOINTS: "true",
      },
    }),
  );
  const { port } = await miniflare.ready;
  const url = `http://127.0.0.1:${port}`;
  const { workspaceId, apiKey } = await createWorkspace(url, adminKey, "bench");
  return {
    api: { url, workspace_id: workspaceId, api_key: apiKey },
    processIds: childrenOf(process.pid, "workerd"),
    stop: () => miniflare.dispose(),
  };
};

/** Builds the module that `npm run deploy` uploads, and returns its path. */
const buildInto = (folder: string): string => {
  const cli = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "wrangler-dist/cli.js");
  const build = spawnSync(process.execPath, [cli, "deploy", "--dry-run", "--env=", `--outdir=${folder}`], {
    cwd: ROOT,
    env: { ...process.env, CI: "1", NO_COLOR: "1", WRANGLER_SEND_METRICS: "false" },
    encoding: "utf8",
  });
  if (build.status !== 0) throw new DevFailure(`The service does not build:\n\n${build.stdout}${build.stderr}`);
  return join(folder, "index.js");
};
