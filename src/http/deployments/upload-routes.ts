import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { keepSource, openUpload, uploadTicket } from "../../../durable/worker/uploads.ts";
import { MAX_TARBALL_BYTES } from "../../agent/limits.ts";
import { fail, ok } from "../../domain/shared/result.ts";
import { openAccess, workspaceAccess } from "../kernel/auth.ts";
import { noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { TOO_LARGE } from "../kernel/problems.ts";
import { register } from "../kernel/register.ts";
import { type Asking, ownDeployment } from "./own-deployment.ts";

const UPLOAD_URL = "/v2/deployments/upload-url";
const OWN_UPLOAD_URL = "/v2/deployments/{deployment_id}/upload-url";

const uploadShown = z
  .object({
    upload_url: z.string().openapi({ description: "PUT the .tar.gz here, within the hour; it needs no key." }),
    object_path: z.string().openapi({ description: "Send as source_tarball_path." }),
  })
  .openapi("UploadUrl");

const COMMON = { tag: "Deployments", dialect: "detail", query: noMembers, body: null } as const;

/** Uploads of sources: an address for one upload, and the upload itself. */
export const addUploadRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: UPLOAD_URL,
    aliases: [`/api-host${UPLOAD_URL}`],
    summary: "Get an address to upload the source of a deployment to, before there is one",
    access: workspaceAccess,
    params: noMembers,
    success: "ok",
    answer: uploadShown,
    handle: async (input) => ok(await newUpload(input)),
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: OWN_UPLOAD_URL,
    aliases: [`/api-host${OWN_UPLOAD_URL}`],
    summary: "Get an address to upload the next source of a deployment to",
    access: workspaceAccess,
    params: z.object({ deployment_id: uuid }),
    success: "ok",
    answer: uploadShown,
    async handle(input) {
      const known = await ownDeployment(input, input.params.deployment_id).view();
      return known.ok ? ok(await newUpload(input)) : known;
    },
  });

  register(app, {
    ...COMMON,
    method: "put",
    path: "/v2/uploads/{ticket}",
    summary: "Upload a source; the address itself allows it, without a key",
    access: openAccess,
    params: z.object({ ticket: z.string() }),
    rawBody: ["application/gzip"],
    success: "ok",
    answer: z.object({ object_path: z.string() }),
    failures: ["forbidden", "tooLarge"],
    async handle({ params, request, env }) {
      const upload = await openUpload(env, params.ticket, Date.now());
      if (upload === null)
        return fail({
          reason: "forbidden",
          message: "The upload address is not valid, or has expired; get a new one.",
        });
      const kept = await keepSource(env, upload, request.body);
      if (kept === "too_long") {
        const message = `The source has more than ${MAX_TARBALL_BYTES} bytes`;
        return fail({ reason: "invalid", loc: ["body"], message, type: TOO_LARGE });
      }
      if (kept === "no_gzip") {
        const message = "The body is not a gzip file; send a .tar.gz";
        return fail({ reason: "invalid", loc: ["body"], message, type: "value_error" });
      }
      return ok({ object_path: upload.path });
    },
  });
};

const newUpload = async ({ caller, env, request }: Asking & { readonly request: Request }) => {
  const { path, ticket } = await uploadTicket(env, caller.identity.tenantId, Date.now());
  return { upload_url: `${new URL(request.url).origin}/v2/uploads/${ticket}`, object_path: path };
};
