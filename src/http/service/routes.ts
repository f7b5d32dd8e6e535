import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { ok } from "../../domain/shared/result.ts";
import { openAccess } from "../kernel/auth.ts";
import { noMembers } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";

/** Lowest version that clients of the original service accept without a warning. Waybill's version follows it as build metadata. */
const COMPATIBLE_VERSION = "0.16.0";
const WAYBILL_VERSION = "0.1.0";

/** Recommended size of ingest batches: the values of the original service, which are also the clients' defaults. */
const BATCH_RUNS = 100;
const BATCH_BYTES = 20_971_520;

const infoShown = z.object({
  version: z.string(),
  git_sha: z.null(),
  license_expiration_time: z.null(),
  batch_ingest_config: z.object({
    use_multipart_endpoint: z.literal(true),
    scale_up_qsize_trigger: z.int(),
    scale_up_nthreads_limit: z.int(),
    scale_down_nempty_trigger: z.int(),
    size_limit: z.int(),
    size_limit_bytes: z.int(),
  }),
  instance_flags: z.record(z.string(), z.boolean()),
  customer_info: z.null(),
});

const INFO: z.output<typeof infoShown> = {
  version: `${COMPATIBLE_VERSION}+waybill.${WAYBILL_VERSION}`,
  git_sha: null,
  license_expiration_time: null,
  batch_ingest_config: {
    use_multipart_endpoint: true,
    scale_up_qsize_trigger: 1000,
    scale_up_nthreads_limit: 16,
    scale_down_nempty_trigger: 4,
    size_limit: BATCH_RUNS,
    size_limit_bytes: BATCH_BYTES,
  },
  instance_flags: {
    gzip_body_enabled: true,
    zstd_compression_enabled: true,
    dataset_examples_multipart_enabled: false,
    examples_multipart_enabled: false,
  },
  customer_info: null,
};

const WELCOME = `Waybill exports LLM traces to your own S3-compatible bucket as Parquet.

Send traces to this address, with your API key in X-API-Key (LANGSMITH_ENDPOINT, LANGSMITH_API_KEY).
Create destinations and exports under /api/v1/bulk-exports. All routes are described in /openapi.json.
`;

const COMMON = {
  method: "get",
  tag: "Service",
  access: openAccess,
  params: noMembers,
  query: noMembers,
  body: null,
  success: "ok",
  dialect: "detail",
} as const;

/** Routes about the service itself, without authentication. */
export const addServiceRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    path: "/ok",
    summary: "Whether the service answers",
    answer: z.object({ ok: z.literal(true) }),
    handle: async () => ok({ ok: true as const }),
  });

  register(app, {
    ...COMMON,
    path: "/api/v1/info",
    aliases: ["/info"],
    summary: "Version and ingest settings for clients",
    answer: infoShown,
    handle: async () => ok(INFO),
  });

  app.get("/", (context) => context.text(WELCOME));

  app.get("/openapi.json", (context) =>
    context.json(
      app.getOpenAPI31Document({
        openapi: "3.1.0",
        info: {
          title: "Waybill",
          version: WAYBILL_VERSION,
          description: "Exports LLM traces to your own S3-compatible bucket as Parquet.",
        },
      }),
    ),
  );
};
