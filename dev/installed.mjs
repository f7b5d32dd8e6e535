// Plain JavaScript: it must run on whatever Node is there before `npm install` has brought the project's own.
import { existsSync } from "node:fs";

if (!existsSync("node_modules/.bin/wrangler") || Number(process.versions.node.split(".")[0]) < 24) {
  console.error("The project's packages, its own Node among them, are not installed. Run `npm install` first.");
  process.exit(1);
}
