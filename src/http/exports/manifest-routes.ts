import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { exportAccess } from "../kernel/auth.ts";
import { nothing, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { ownExport } from "./own-export.ts";

/** Its members are described where it is made; clients that verify need the very text. */
const manifestText = z.string().openapi({
  type: "object",
  description: "Every file of the export with rows, bytes, SHA-256, expected ETag, ETag and how it was verified.",
});

/** The proof of an export, for those who compare it with what lies in the bucket. */
export const addManifestRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    method: "get",
    path: "/api/v1/bulk-exports/{bulk_export_id}/manifest",
    tag: "Bulk exports",
    summary: "Retrieve the manifest of a COMPLETED export, byte for byte as it lies in the bucket",
    access: exportAccess,
    params: z.object({ bulk_export_id: uuid }),
    query: nothing,
    body: null,
    success: "ok",
    answer: manifestText,
    isJsonText: true,
    failures: ["conflict"],
    dialect: "detail",
    async handle(asked) {
      const owned = await ownExport(asked, asked.params.bulk_export_id);
      return owned.ok ? owned.value.manifest() : owned;
    },
  });
};
