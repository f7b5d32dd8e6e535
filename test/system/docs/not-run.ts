/** Blocks of `sh` and `sql` that are not run: each starts with `begins` and is in `document`. All others are run. */
export interface NotRun {
  readonly document: string;
  readonly begins: string;
  readonly reason: string;
}

export const NOT_RUN: readonly NotRun[] = [
  {
    document: "README.md",
    begins: "npm install && npm run demo",
    reason: "it installs packages; test/system/dev/demo.test.ts runs the demo",
  },
  { document: "README.md", begins: "npm install && npm test", reason: "it installs packages, and runs this test" },
  {
    document: "README.md",
    begins: "npm run dev",
    reason: "it does not end; test/system/dev/dev.test.ts runs it, and here a service is running",
  },
  { document: "README.md", begins: "npx wrangler r2", reason: "it needs an account" },
  { document: "CONTRIBUTING.md", begins: "npm install", reason: "it installs packages" },
  { document: "CONTRIBUTING.md", begins: "npx --no-install vitest", reason: "CI runs the tests" },
  { document: "docs/performance.md", begins: "npm run bench", reason: "it installs packages and takes minutes" },
  { document: "docs/operations/deploy.md", begins: "npm install", reason: "it needs an account" },
  { document: "docs/operations/deploy.md", begins: "npm run deploy -- --secrets-file", reason: "it needs an account" },
  { document: "docs/operations/deploy.md", begins: "npx wrangler r2", reason: "it needs an account" },
  {
    document: "docs/operations/deploy.md",
    begins: "export URL=",
    reason: "it names an installation that does not exist",
  },
  {
    document: "docs/operations/backup.md",
    begins: "SELECT session_id",
    reason: "it needs a copy of the bucket; test/parquet/readers.test.ts reads segments with DuckDB",
  },
  {
    document: "docs/guide/README.md",
    begins: "export URL=https://traces.example.com",
    reason: "it names an installation that does not exist",
  },
  {
    document: "docs/guide/exports.md",
    begins:
      'curl -sS -H "@$HEADERS" "$URL/api/v1/bulk-exports/destinations" -d \'{\n  "destination_type": "s3", "display_name": "my bucket"',
    reason: "it needs a bucket at AWS",
  },
  {
    document: "docs/guide/exports.md",
    begins: "npm run verify -- s3://my-traces",
    reason: "it needs a bucket at AWS; test/system/dev/verify.test.ts verifies a manifest in a bucket",
  },
  {
    document: "docs/guide/clickhouse.md",
    begins: "export CLICKHOUSE=",
    reason: "it needs ClickHouse; test/system/clickhouse/export.test.ts runs it",
  },
  { document: "docs/guide/reading.md", begins: "INSTALL httpfs", reason: "it downloads an extension" },
  {
    document: "docs/guide/reading.md",
    begins: "SELECT toDate(start_time)",
    reason: "it needs a server of ClickHouse; test/system/readers/layouts.test.ts reads files with its engine",
  },
  { document: "docs/guide/reading.md", begins: "CREATE EXTERNAL TABLE", reason: "it needs Athena" },
  {
    document: "docs/guide/agents.md",
    begins: "npm run listener",
    reason: "it does not end; test/system/dev/listener.test.ts runs it",
  },
];
