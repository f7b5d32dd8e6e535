import { z } from "@hono/zod-openapi";
import { CHECK_STEPS } from "../../domain/destination/check.ts";
import { policyOf } from "../../domain/destination/policy.ts";
import type { DestinationConfig, DestinationRecord } from "../../domain/destination/records.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { PERMISSIONS } from "../../store/failures.ts";
import { STEP_OPERATIONS } from "../../store/probe.ts";
import { shownInstant, shownUuid } from "../kernel/fields.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";
import { objectOptionsShown, showObjectOptions } from "./object-options.ts";

/** One request of the check, and the right that it needs [DST-21]. */
const checkShown = z.object({
  step: z.enum(CHECK_STEPS),
  result: z.enum(["passed", "missing", "not_tried"]),
  permission: z.string(),
});

const etagKind = z.enum(["md5", "other", "unknown"]);

const policyShown = z.object({
  Version: z.string(),
  Statement: z.array(
    z.object({ Sid: z.string(), Effect: z.string(), Action: z.array(z.string()), Resource: z.string() }),
  ),
});

/** A destination in an answer. It holds the names of the credentials, never their values. */
export const destinationShown = z
  .object({
    id: shownUuid,
    tenant_id: shownUuid,
    destination_type: z.literal("s3"),
    display_name: z.string(),
    config: z.object({
      bucket_name: z.string(),
      prefix: z.string(),
      region: z.string().nullable(),
      endpoint_url: z.string().nullable(),
      include_bucket_in_prefix: z.boolean(),
      ...objectOptionsShown,
      config_kwargs_s3: z.null(),
      aws_role_arn: z.null(),
    }),
    credentials_keys: z.array(z.string()),
    checks: z.array(checkShown),
    etags: z.object({ put: etagKind, multipart: etagKind }),
    iam_policy: policyShown,
    created_at: shownInstant,
    updated_at: shownInstant,
  })
  .openapi("BulkExportDestination");

const showPolicy = (config: DestinationConfig): z.output<typeof policyShown> => {
  const { Version, Statement } = policyOf(config);
  return { Version, Statement: Statement.map((statement) => ({ ...statement, Action: [...statement.Action] })) };
};

/** The record of a destination in its wire shape. */
export const showDestination = (
  profile: WireProfile,
  record: DestinationRecord,
): z.output<typeof destinationShown> => ({
  id: record.id,
  tenant_id: record.tenantId,
  destination_type: "s3",
  display_name: record.displayName,
  config: {
    bucket_name: record.config.bucketName,
    prefix: record.config.prefix,
    region: record.config.region,
    endpoint_url: record.config.endpointUrl,
    include_bucket_in_prefix: profile.includeBucketInPrefixShown(record.config),
    ...showObjectOptions(record.config.objectOptions),
    config_kwargs_s3: null,
    aws_role_arn: null,
  },
  credentials_keys: [...record.credentialsKeys],
  checks: CHECK_STEPS.map((step) => ({
    step,
    result: record.check.steps[step],
    permission: PERMISSIONS[STEP_OPERATIONS[step]],
  })),
  etags: record.check.etags,
  iam_policy: showPolicy(record.config),
  created_at: isoFromMs(record.createdAt),
  updated_at: isoFromMs(record.updatedAt),
});
