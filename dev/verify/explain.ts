import { S3ServiceException } from "@aws-sdk/client-s3";
import { DevFailure } from "../failure.ts";

/** What came between the command and the bucket, for the person there; anything else is a fault of ours and stays. */
export const explained = (error: unknown): unknown => {
  if (error instanceof S3ServiceException) {
    return new DevFailure(
      `The bucket refused to be read (${error.name}). Check credentials and --endpoint; needed are s3:ListBucket and s3:GetObject.`,
    );
  }
  if (!(error instanceof Error)) return error;
  if (error.name === "CredentialsProviderError")
    return new DevFailure("There are no credentials for the bucket. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.");
  const code = "code" in error ? error.code : error.name === "TimeoutError" ? error.name : undefined;
  if (typeof code !== "string") return error;
  return new DevFailure(`The bucket could not be reached (${code}). Check --endpoint and your connection.`);
};
