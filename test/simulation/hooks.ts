import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { edited, editsFor } from "./kernel/edits.ts";

/**
 * Must be loaded first (`node --import`). Provides `cloudflare:workers` in plain Node and applies the edits of the
 * simulation to the product's source. Reads `--plant <name>`, because the product is loaded only once.
 */

const ROOT = join(import.meta.dirname, "../..");
const RUNTIME = "cloudflare:workers";

const RUNTIME_SOURCE = `
export class DurableObject {
  constructor(ctx, env) {
    this.ctx = ctx;
    this.env = env;
  }
}
`;

const plantAt = process.argv.indexOf("--plant");
const edits = editsFor(plantAt < 0 ? null : (process.argv[plantAt + 1] ?? ""));

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === RUNTIME ? { url: RUNTIME, format: "module", shortCircuit: true } : next(specifier, context),
  load: (url, context, next) => {
    if (url === RUNTIME) return { format: "module", source: RUNTIME_SOURCE, shortCircuit: true };
    const loaded = next(url, context);
    if (!url.startsWith("file:") || loaded.source === undefined || loaded.source === null) return loaded;
    const file = relative(ROOT, fileURLToPath(url));
    if (!edits.some((edit) => edit.file === file)) return loaded;
    return { ...loaded, source: edited(file, Buffer.from(loaded.source as Uint8Array).toString(), edits) };
  },
});
