// Must be the first import of each command: ends the process with an error text if the command cannot run here.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { missingIn } from "./requirements.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const missing = missingIn({
  nodeVersion: process.versions.node,
  isInstalled: existsSync(join(root, "node_modules/.bin/wrangler")),
});
if (missing !== null) {
  console.error(missing);
  process.exit(1);
}
