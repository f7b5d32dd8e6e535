import { describe, expect, it } from "vitest";
import { policyOf } from "../../../src/domain/destination/policy.ts";
import type { DestinationConfig } from "../../../src/domain/destination/records.ts";
import { config } from "../../support/samples.ts";

const statements = (changes: Partial<DestinationConfig>) => policyOf({ ...config, ...changes }).Statement;
const NO_OPTIONS = { acl: null, storageClass: null, serverSideEncryption: null, kmsKeyId: null, tagging: null };

describe("the policy of a destination", () => {
  it("allows its prefix, and the bucket's name where that stands in the keys", () => {
    const objects = (changes: Partial<DestinationConfig>) => statements(changes)[0]?.Resource;
    expect(objects({ prefix: "a/b" })).toBe("arn:aws:s3:::bucket/a/b/*");
    expect(objects({ prefix: "" })).toBe("arn:aws:s3:::bucket/*");
    expect(objects({ prefix: "a", includeBucketInPrefix: true })).toBe("arn:aws:s3:::bucket/bucket/a/*");
  });

  it("takes the wildcards of a prefix literally", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: policies have variables of this form
    expect(statements({ prefix: "a*b?c$d" })[0]?.Resource).toBe("arn:aws:s3:::bucket/a${*}b${?}c${$}d/*");
  });

  it("names the partition of the region", () => {
    expect(statements({ region: "cn-north-1" })[1]?.Resource).toBe("arn:aws-cn:s3:::bucket");
    expect(statements({ region: "us-gov-west-1" })[1]?.Resource).toBe("arn:aws-us-gov:s3:::bucket");
  });

  it("allows what the options of objects need", () => {
    const key = "arn:aws:kms:eu-central-1:1:key/2";
    const wanted = statements({
      objectOptions: { ...NO_OPTIONS, acl: "bucket-owner-full-control", tagging: "a=b", kmsKeyId: key },
    });
    expect(wanted[0]?.Action).toEqual(expect.arrayContaining(["s3:PutObjectAcl", "s3:PutObjectTagging"]));
    expect(wanted[2]).toMatchObject({ Action: ["kms:GenerateDataKey", "kms:Decrypt"], Resource: key });
  });
});
