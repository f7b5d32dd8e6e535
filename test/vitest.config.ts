import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Plain Node for rules and pure code, workerd for actors and HTTP. `npm test -- --project rules` runs one kind. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "rules",
          include: ["test/{domain,parquet,s3,trace,secrets,architecture}/**/*.test.ts"],
          testTimeout: 30_000,
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: { name: "workerd", include: ["test/{durable,http}/**/*.test.ts"], testTimeout: 30_000 },
      },
      {
        test: {
          name: "system",
          include: ["test/{readers,clients,dev}/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
