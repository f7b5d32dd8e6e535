import "../dev/installed.mjs"; // first: the others may not load in a Node that is too old
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { filesBelow, textOf } from "./architecture/source-files.ts";
import { ADMIN_KEY, MASTER_KEY } from "./support/secrets/mark.ts";

/** Files that run at once: more than the two cores of a small machine, because tests of real services mostly wait. */
const MAX_WORKERS = 4;

/** Searches what the product says in any test for secrets. The simulation has an invariant for that. */
const WATCH = "test/support/secrets/watch.ts";

/**
 * Longest time of a test, in milliseconds. Tests compress, hash and write megabytes, four files at once, on cores that
 * others may keep busy.
 */
const TEST_TIMEOUT = 120_000;
const LONG_TEST_TIMEOUT = 600_000;
/** A hook may start a whole service. */
const HOOK_TIMEOUT = 120_000;
/** Of `expect.poll`. */
const POLL_TIMEOUT = 60_000;

/** A test has one of the tags below. */
const TAGGED = /tags: "(search|long)"/;

/** Plain Node for rules and pure code, workerd for actors and HTTP. `npm test -- --project rules` runs one project. */
export default defineConfig(({ mode }) => {
  const isLong = mode === "long";
  const shared = {
    provide: { isLong },
    maxWorkers: MAX_WORKERS,
    exclude: isLong ? filesBelow("test").filter((file) => !TAGGED.test(textOf(file))) : [],
    tagsFilter: isLong ? ["search || long"] : ["!long"],
    // Transformed modules are kept for the next run, by their content: it halves the time that an actor's file takes.
    experimental: { fsModuleCache: true },
    testTimeout: isLong ? LONG_TEST_TIMEOUT : TEST_TIMEOUT,
    hookTimeout: HOOK_TIMEOUT,
    expect: { poll: { timeout: POLL_TIMEOUT } },
  };
  /**
   * Files share processes, so that Node or workerd starts, and modules load, once for several files. So no file may
   * leave anything in globals, and each file in workerd has tenants of its own.
   */
  const together = { isolate: false } as const;
  return {
    test: {
      tags: [
        { name: "search", description: "A random search: few rounds in `npm test`, many in `npm run test:long`." },
        { name: "long", description: "Takes minutes, so that only `npm run test:long` runs it." },
      ],
      // The actors' log lines are shown for failed tests only.
      silent: "passed-only",
      // What an actor logs or loads while the worker of its tests is closed is lost, which is no fault of a test.
      onUnhandledError: ({ name }) => name !== "EnvironmentTeardownError",
      projects: [
        {
          test: {
            ...shared,
            ...together,
            name: "rules",
            setupFiles: [WATCH],
            include: [
              "test/{agent,architecture,clickhouse,dev,domain,filter,json,oauth,parquet,s3,secrets,store,trace}/**/*.test.ts",
              "test/simulation/kernel/*.test.ts",
            ],
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
            ...shared,
            ...together,
            name: "workerd",
            setupFiles: [WATCH, "test/support/secrets/watch-storage.ts"],
            include: ["test/{durable,http}/**/*.test.ts"],
            globalSetup: ["test/support/global-setup.ts"],
          },
        },
        {
          test: {
            ...shared,
            name: "simulation",
            include: ["test/simulation/*.test.ts"],
          },
        },
        {
          test: {
            ...shared,
            name: "system",
            setupFiles: [WATCH, "test/support/secrets/watch-services.ts"],
            include: ["test/system/**/*.test.ts"],
          },
        },
      ],
    },
  };
});
