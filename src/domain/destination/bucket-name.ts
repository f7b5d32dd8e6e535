/**
 * The one rule for bucket names. It is that of S3, and what stores and old buckets of AWS allow beyond it: capital
 * letters and underscores. No such name can change the URL that contains it. The store decides whether the bucket exists.
 */
const BUCKET_NAME = /^(?!\d+\.\d+\.\d+\.\d+$)(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;

/** What a bucket name is, as the end of a sentence. */
export const BUCKET_NAME_RULE = "3 to 63 letters, digits, dots, hyphens and underscores, and no IP address";

export const isBucketName = (name: string): boolean => BUCKET_NAME.test(name);
