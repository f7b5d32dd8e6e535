import { S3ServiceException } from "@aws-sdk/client-s3";
import { DevFailure } from "../failure.ts";

/** Translates an error of a request to the bucket into a DevFailure. Other errors are internal and returned unchanged. */
export const explained = (error: unknown): unknown => {
  if (error instanceof S3ServiceException) {
    return new DevFailure(
      `Reading the bucket was refused (${error.name}). Check the credentials and --endpoint; the permissions s3:ListBucket and s3:GetObject are needed.`,
    );
  }
  if (!(error instanceof Error)) return error;
  if (error.name === "CredentialsProviderError")
    return new DevFailure("There are no credentials for the bucket. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.");
  const code = "code" in error ? error.code : error.name === "TimeoutError" ? error.name : undefined;
  if (typeof code !== "string") return error;
  return new DevFailure(`The bucket could not be reached (${code}). Check --endpoint and your connection.`);
};
