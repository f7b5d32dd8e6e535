import { z } from "@hono/zod-openapi";
import { BUCKET_NAME_RULE, isBucketName } from "../../domain/destination/bucket-name.ts";
import { prefixProblem } from "../../domain/destination/layout.ts";
import type { Credentials, DestinationConfig } from "../../domain/destination/records.ts";
import { isCleanText } from "../../domain/shared/text.ts";
import { closedObject } from "../kernel/fields.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";
import { hasBothSpellings, objectOptionMembers, objectOptionsOf } from "./object-options.ts";

/** A region name at AWS; it becomes part of a host name. */
const AWS_REGION = /^[a-z0-9-]{1,64}$/;
/** A region name at another store, such as `RegionOne`. */
const OTHER_REGION = /^[A-Za-z0-9_-]{1,64}$/;
const DISPLAY_NAME = /^[a-zA-Z0-9\-_ ']+$/;
/** Access keys and tokens are sent in headers. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

const MAX_ENDPOINT_CHARACTERS = 2048;
/** AWS names no limit, and tokens of 4,000 characters occur. This one is what servers accept of headers. */
const MAX_SESSION_TOKEN_CHARACTERS = 16_384;

const notSupported = (what: string) => z.null({ error: `${what} is not supported; leave it out` }).optional();

const displayName = z
  .string()
  .max(255)
  .regex(DISPLAY_NAME, { error: "Use letters, digits, spaces, hyphens, underscores and apostrophes only" });

const prefixText = z
  .string()
  .transform((prefix) => prefix.replace(/^\/+|\/+$/g, ""))
  .superRefine((prefix, context) => {
    const problem = prefixFault(prefix);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  })
  .openapi({ type: "string" });

/** Backslashes and `..` are harmless in the bucket, but not in a file system that mirrors its keys. */
const prefixFault = (prefix: string): string | null => {
  if (prefix.includes("\\")) return "The prefix contains a backslash; separate folders with /.";
  if (prefix.includes("..")) return 'The prefix contains ".."; use another folder name.';
  return prefixProblem(prefix);
};

const headerText = (maxCharacters: number) =>
  z
    .string()
    .max(maxCharacters)
    .regex(HEADER_TEXT, { error: "Input should be non-empty ASCII text without spaces or line breaks" });

const credentials = closedObject({
  access_key_id: headerText(255),
  secret_access_key: headerText(2048),
  session_token: headerText(MAX_SESSION_TOKEN_CHARACTERS).nullish(),
}).transform(
  (sent): Credentials => ({
    accessKeyId: sent.access_key_id,
    secretAccessKey: sent.secret_access_key,
    sessionToken: sent.session_token ?? null,
  }),
);

/** The endpoint decides how the bucket is addressed. Hints that agree with it are accepted, others refused. */
const addressingHints = closedObject({
  addressing_style: z
    .enum(["auto", "path"], {
      error: "Only auto and path are supported: a bucket at a custom endpoint is addressed by path",
    })
    .nullish(),
  use_accelerate_endpoint: z
    .literal(false, { error: "Transfer acceleration is not supported; leave it out" })
    .nullish(),
  payload_signing_enabled: z.boolean().nullish(),
  us_east_1_regional_endpoint: z.enum(["regional", "legacy"]).nullish(),
});

/**
 * Whether the endpoint already contains the bucket's name. Consoles of stores show such addresses, but the endpoint must
 * be the store's address: with the bucket's address, the bucket's name would become part of every key.
 */
const namesBucket = (endpoint: string, bucket: string): boolean => {
  const url = URL.parse(endpoint);
  return (
    url !== null &&
    (url.hostname.startsWith(`${bucket.toLowerCase()}.`) || url.pathname.replace(/\/$/, "").endsWith(`/${bucket}`))
  );
};

const configSchema = (profile: WireProfile) =>
  closedObject({
    bucket_name: z.string().refine(isBucketName, { error: `Input should be a bucket name: ${BUCKET_NAME_RULE}` }),
    prefix: profile.destinationMembersRequired ? prefixText : prefixText.default(""),
    region: z.string().regex(OTHER_REGION, { error: "Input should be a region, such as eu-central-1" }).nullish(),
    endpoint_url: z
      .string()
      .min(1)
      .max(MAX_ENDPOINT_CHARACTERS)
      .refine(isCleanText, { error: "The endpoint must not contain control characters" })
      .nullish(),
    include_bucket_in_prefix: z.boolean().nullish().openapi({ default: profile.includeBucketInPrefixPreset }),
    ...objectOptionMembers,
    config_kwargs_s3: addressingHints.nullish(),
    aws_role_arn: notSupported("aws_role_arn"),
  })
    .superRefine((sent, context) => {
      if (sent.config_kwargs_s3?.addressing_style === "path") return;
      if (!namesBucket(sent.endpoint_url ?? "", sent.bucket_name)) return;
      const message =
        'The endpoint contains the bucket\'s name; remove it. If the name is part of the store\'s own address, send config_kwargs_s3 {"addressing_style": "path"}';
      context.addIssue({ code: "custom", path: ["endpoint_url"], message });
    })
    .superRefine((sent, context) => {
      const { region, endpoint_url } = sent;
      if (typeof endpoint_url === "string" || typeof region !== "string") return;
      if (AWS_REGION.test(region) || !OTHER_REGION.test(region)) return; // the second is refused already
      const message = "Input should be a region of AWS, such as eu-central-1; any other store needs endpoint_url";
      context.addIssue({ code: "custom", path: ["region"], message });
    })
    .refine((sent) => !hasBothSpellings(sent), {
      path: ["s3_additional_kwargs"],
      error: "Send s3_options or s3_additional_kwargs, not both",
    })
    .transform(
      (sent): DestinationConfig => ({
        bucketName: sent.bucket_name,
        prefix: sent.prefix,
        region: sent.region ?? null,
        endpointUrl: sent.endpoint_url ?? null,
        includeBucketInPrefix: profile.bucketRepeatedInKeys(sent.include_bucket_in_prefix),
        ...objectOptionsOf(sent),
      }),
    );

const destinationType = z.literal("s3", { error: "The only destination_type is s3" });

/** Body of a creation [DST-5]. A setting of the deployment, not this schema, allows to omit credentials [DST-10]. */
export const destinationCreate = (profile: WireProfile) =>
  closedObject({
    destination_type: profile.destinationMembersRequired ? destinationType : destinationType.default("s3"),
    display_name: displayName,
    config: configSchema(profile),
    credentials: credentials.nullish(),
    aws_role_arn: notSupported("aws_role_arn"),
  }).openapi("BulkExportDestinationCreate");

/** Body of a destination's PATCH: new credentials, a new name, or both. Absent members are not changed. */
export const destinationUpdate = closedObject({
  credentials: credentials.optional(),
  display_name: displayName.optional(),
  aws_role_arn: notSupported("aws_role_arn"),
})
  .refine((sent) => sent.credentials !== undefined || sent.display_name !== undefined, {
    path: ["credentials"],
    error: "Send credentials, display_name or both",
    params: { type: "missing" },
  })
  .openapi("BulkExportDestinationUpdate");
