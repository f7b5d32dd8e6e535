import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { ADMIN_KEY, MASTER_KEY } from "./support/secrets/mark.ts";

/** Longest wait of an `expect.poll`; a second, which is its own default, is short on a busy machine. */
const POLLS = { poll: { timeout: 60_000 } } as const;

/** Files at once, on two cores: those that talk to a real service mostly wait. The same for all, or they would queue. */
const WORKERS = 4;

/**
 * Files of one project share a process (or a workerd), which spares it from being started and its modules from being
 * loaded for each: no file may leave anything behind in globals, and in workerd each has tenants of its own.
 */
const SHARED = { isolate: false } as const;

/** Every test searches for secrets in what it makes the product say; the simulation has an invariant for that. */
const WATCH = "test/support/secrets/watch.ts";

/** Plain Node for rules and pure code, workerd for actors and HTTP. `npm test -- --project rules` runs one kind. */
export default defineConfig({
  test: {
    // The actors' log lines are shown for failed tests only.
    silent: "passed-only",
    // What an actor says or loads while the worker of its tests is closed goes nowhere, and that is no fault of a test.
    onUnhandledError: ({ name }) => name !== "EnvironmentTeardownError",
    projects: [
      {
        test: {
          name: "rules",
          setupFiles: [WATCH],
          ...SHARED,
          include: [
            "test/{agent,architecture,clickhouse,domain,filter,json,oauth,parquet,s3,secrets,trace}/**/*.test.ts",
          ],
          testTimeout: 30_000,
          maxWorkers: WORKERS,
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                ADMIN_KEY,
                MASTER_KEYS: `tests:${MASTER_KEY}`,
                ALLOW_LOOPBACK_ENDPOINTS: "true",
              },
            },
          }),
        ],
        test: {
          name: "workerd",
          setupFiles: [WATCH, "test/support/secrets/watch-storage.ts"],
          include: ["test/{durable,http}/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
          ...SHARED,
          // They compress, hash and write megabytes, four files at once, on cores that others may keep busy.
          testTimeout: 120_000,
          hookTimeout: 60_000,
          expect: POLLS,
          maxWorkers: WORKERS,
        },
      },
      {
        test: {
          name: "simulation",
          include: ["test/simulation/**/*.test.ts"],
          testTimeout: 240_000,
          maxWorkers: WORKERS,
        },
      },
      {
        test: {
          name: "system",
          setupFiles: [WATCH, "test/support/secrets/watch-services.ts"],
          include: ["test/system/**/*.test.ts"],
          testTimeout: 120_000,
          // Hooks start the whole service and export once.
          hookTimeout: 120_000,
          expect: POLLS,
          maxWorkers: WORKERS,
        },
      },
    ],
  },
});
