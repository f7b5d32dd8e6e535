import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { exportAccess } from "../kernel/auth.ts";
import { noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { ownExport } from "./own-export.ts";

/** JSON text, byte for byte: clients verify against it. src/domain/export defines its members. */
const manifestText = z.string().openapi({
  type: "object",
  description: "Every file of the export with its rows, bytes, SHA-256, expected ETag, ETag and way of verification.",
});

/** The manifest of an export, for comparison with the contents of the bucket. */
export const addManifestRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    method: "get",
    path: "/api/v1/bulk-exports/{bulk_export_id}/manifest",
    tag: "Bulk exports",
    summary: "Retrieve the manifest of a COMPLETED export, byte for byte as in the bucket",
    access: exportAccess,
    params: z.object({ bulk_export_id: uuid }),
    query: noMembers,
    body: null,
    success: "ok",
    answer: manifestText,
    isJsonText: true,
    failures: ["conflict"],
    dialect: "detail",
    async handle(input) {
      const owned = await ownExport(input, input.params.bulk_export_id);
      return owned.ok ? owned.value.manifest() : owned;
    },
  });
};
