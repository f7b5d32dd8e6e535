import { z } from "@hono/zod-openapi";
import { isCleanText } from "../../domain/shared/text.ts";
import { DEFAULT_USER_ID, ROLES } from "../../domain/workspace/records.ts";
import { closedObject, shownUuid, uuid } from "../kernel/fields.ts";

const MAX_LABEL_CHARACTERS = 255;

const label = z
  .string()
  .min(1)
  .max(MAX_LABEL_CHARACTERS)
  .refine(isCleanText, { error: "Input should not contain control characters" });

const plan = z.enum(["developer", "plus", "enterprise"]);

/** `id` lets a workspace keep the id it has elsewhere. */
export const workspaceCreate = closedObject({ name: label, plan, id: uuid.nullish() }).openapi("WorkspaceCreate");

export const workspaceShown = z.object({ id: shownUuid, name: z.string(), plan }).openapi("Workspace");

export const planUpdate = closedObject({ plan }).openapi("WorkspaceUpdate");

export const planShown = z.object({ id: shownUuid, plan }).openapi("WorkspacePlan");

const role = z
  .enum(ROLES)
  .openapi({ description: "read: read only; ingest: send traces and feedback only; manage: everything" });

/** The user of the key. It is part of names of actors, so it must not contain slashes. */
const userId = z.string().regex(/^[A-Za-z0-9._@+-]{1,128}$/, {
  error: "Input should be 1 to 128 letters, digits and -._@+",
});

/** Without `user_id`, the key belongs to the workspace's default user. */
export const keyCreate = closedObject({
  label,
  role,
  user_id: userId.nullish().transform((id) => id ?? DEFAULT_USER_ID),
}).openapi("ApiKeyCreate");

/** The only answer that holds the key. Later requests identify the key by `sha256`. */
export const keyShown = z
  .object({
    api_key: z.string(),
    sha256: z.string(),
    label: z.string(),
    role,
    user_id: z.string(),
  })
  .openapi("ApiKey");

/** SHA-256 of a key in hex. */
export const keyHash = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, { error: "Input should be the SHA-256 of a key, 64 hex digits" })
  .transform((text) => text.toLowerCase())
  .openapi({ type: "string" });
