import { keyPrefixOf } from "./layout.ts";
import type { DestinationConfig } from "./records.ts";

/** An IAM policy, as it is pasted into a console of AWS or given to `mc admin policy`. */
export interface Policy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly Statement[];
}

interface Statement {
  readonly Sid: string;
  readonly Effect: "Allow";
  readonly Action: readonly string[];
  readonly Resource: string;
}

/**
 * The policy that gives a key pair every right that exports into the destination use [DST-22]. Listing is not limited to
 * the prefix: AWS would then answer a HEAD of a missing object with 403 instead of 404.
 */
export function policyOf(config: DestinationConfig): Policy {
  const partition = partitionOf(config.region ?? "");
  const bucket = `arn:${partition}:s3:::${config.bucketName}`;
  const prefix = keyPrefixOf(config);
  const objects = `${bucket}/${prefix === "" ? "" : `${literal(prefix)}/`}*`;
  const statement = (Sid: string, Action: readonly string[], Resource: string): Statement => ({
    Sid,
    Effect: "Allow",
    Action,
    Resource,
  });
  const key = config.objectOptions?.kmsKeyId ?? null;
  return {
    Version: "2012-10-17",
    Statement: [
      statement("WaybillObjects", objectActions(config), objects),
      statement("WaybillList", ["s3:ListBucket", "s3:ListBucketMultipartUploads"], bucket),
      ...(key?.startsWith("arn:") ? [statement("WaybillKey", ["kms:GenerateDataKey", "kms:Decrypt"], key)] : []),
    ],
  };
}

const objectActions = ({ objectOptions }: DestinationConfig): readonly string[] => [
  "s3:PutObject",
  "s3:GetObject",
  "s3:DeleteObject",
  "s3:AbortMultipartUpload",
  ...(objectOptions === undefined || objectOptions.acl === null ? [] : ["s3:PutObjectAcl"]),
  ...(objectOptions === undefined || objectOptions.tagging === null ? [] : ["s3:PutObjectTagging"]),
];

/** AWS keeps China and GovCloud apart (AWS: Amazon Resource Names). */
const partitionOf = (region: string): string => {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
};

/** A prefix may hold the wildcards of a policy; `${*}` is the character itself (AWS: IAM policy variables). */
const literal = (prefix: string): string => prefix.replace(/[*?$]/g, (character) => `\${${character}}`);
