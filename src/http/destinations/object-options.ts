import { z } from "@hono/zod-openapi";
import { type ObjectOptions, taggingProblem } from "../../domain/destination/object-options.ts";
import { closedObject } from "../kernel/fields.ts";

/** Options of the objects that exports write, in two spellings: `s3_options` and the original's `s3_additional_kwargs`. */

/** Canned ACLs that show an object to the bucket's owner at most. Those that publish it are refused. */
const acl = z.enum(["private", "bucket-owner-read", "bucket-owner-full-control"], {
  error:
    "Supported values: private, bucket-owner-read, bucket-owner-full-control; an ACL that publishes files is refused",
});

/** Stores may have classes of their own. */
const storageClass = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, {
  error: "Input should be a storage class, such as STANDARD_IA",
});

const serverSideEncryption = z.enum(["AES256", "aws:kms", "aws:kms:dsse"], {
  error: "Supported values: AES256, aws:kms, aws:kms:dsse",
});

/** An id, an alias or an ARN. */
const kmsKeyId = z.string().regex(/^[A-Za-z0-9:/_.-]{1,2048}$/, {
  error: "Input should be the id or the ARN of a key",
});

const tagging = z
  .string()
  .superRefine((text, context) => {
    const problem = taggingProblem(text);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  })
  .openapi({ type: "string", example: "team=data&cost-centre=7" });

const NEEDS_KMS = "A key needs server-side encryption aws:kms or aws:kms:dsse";

const s3Options = closedObject({
  acl: acl.nullish(),
  storage_class: storageClass.nullish(),
  server_side_encryption: serverSideEncryption.nullish(),
  kms_key_id: kmsKeyId.nullish(),
  tagging: tagging.nullish(),
}).refine((sent) => isKeyOfKms(sent.server_side_encryption, sent.kms_key_id), {
  path: ["kms_key_id"],
  error: NEEDS_KMS,
});

/** The names of boto3's ExtraArgs. */
const s3AdditionalKwargs = closedObject({
  ACL: acl.nullish(),
  StorageClass: storageClass.nullish(),
  ServerSideEncryption: serverSideEncryption.nullish(),
  SSEKMSKeyId: kmsKeyId.nullish(),
  Tagging: tagging.nullish(),
}).refine((sent) => isKeyOfKms(sent.ServerSideEncryption, sent.SSEKMSKeyId), {
  path: ["SSEKMSKeyId"],
  error: NEEDS_KMS,
});

const isKeyOfKms = (encryption: string | null | undefined, key: string | null | undefined): boolean =>
  typeof key !== "string" || (encryption ?? "").startsWith("aws:kms");

/** The members of a destination's config. */
export const objectOptionMembers = {
  s3_options: s3Options.nullish(),
  s3_additional_kwargs: s3AdditionalKwargs.nullish(),
} as const;

interface SentOptions {
  readonly s3_options?: z.output<typeof objectOptionMembers.s3_options>;
  readonly s3_additional_kwargs?: z.output<typeof objectOptionMembers.s3_additional_kwargs>;
}

/** The options sent, in either spelling; absent: none. */
export function objectOptionsOf(sent: SentOptions): { readonly objectOptions?: ObjectOptions } {
  const [own, original] = [sent.s3_options, sent.s3_additional_kwargs];
  const objectOptions: ObjectOptions = {
    acl: own?.acl ?? original?.ACL ?? null,
    storageClass: own?.storage_class ?? original?.StorageClass ?? null,
    serverSideEncryption: own?.server_side_encryption ?? original?.ServerSideEncryption ?? null,
    kmsKeyId: own?.kms_key_id ?? original?.SSEKMSKeyId ?? null,
    tagging: own?.tagging ?? original?.Tagging ?? null,
  };
  return Object.values(objectOptions).every((value) => value === null) ? {} : { objectOptions };
}

/** Whether options were sent in both spellings, which could contradict each other. */
export const hasBothSpellings = (sent: SentOptions): boolean =>
  Object.keys(sent.s3_options ?? {}).length > 0 && Object.keys(sent.s3_additional_kwargs ?? {}).length > 0;

/** The options in a record, in both spellings. */
export const objectOptionsShown = {
  s3_options: z
    .object({
      acl: z.string().nullable(),
      storage_class: z.string().nullable(),
      server_side_encryption: z.string().nullable(),
      kms_key_id: z.string().nullable(),
      tagging: z.string().nullable(),
    })
    .nullable(),
  s3_additional_kwargs: z.record(z.string(), z.string()).nullable(),
} as const;

export const showObjectOptions = (options: ObjectOptions | undefined) => {
  if (options === undefined) return { s3_options: null, s3_additional_kwargs: null };
  const { acl, storageClass, serverSideEncryption, kmsKeyId, tagging } = options;
  const original = {
    ACL: acl,
    StorageClass: storageClass,
    ServerSideEncryption: serverSideEncryption,
    SSEKMSKeyId: kmsKeyId,
    Tagging: tagging,
  };
  return {
    s3_options: {
      acl,
      storage_class: storageClass,
      server_side_encryption: serverSideEncryption,
      kms_key_id: kmsKeyId,
      tagging,
    },
    s3_additional_kwargs: Object.fromEntries(
      Object.entries(original).filter((entry): entry is [string, string] => entry[1] !== null),
    ),
  };
};
