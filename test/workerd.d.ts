/// <reference types="@cloudflare/vitest-pool-workers/types" />

import type { Env as WaybillEnv } from "../durable/protocol/env.ts";

/** What `cloudflare:workers` gives inside the tests: the bindings of wrangler.toml and the Worker's own exports. */
declare global {
  namespace Cloudflare {
    interface Env extends WaybillEnv {}
    interface GlobalProps {
      mainModule: typeof import("../src/index.ts");
    }
  }
}
