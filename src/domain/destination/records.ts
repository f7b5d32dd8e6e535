import type { CheckReport } from "./check.ts";
import type { ObjectOptions } from "./object-options.ts";

export interface DestinationConfig {
  readonly bucketName: string;
  /** As sent, without leading and trailing slashes. */
  readonly prefix: string;
  /** null: not sent; the check finds it. */
  readonly region: string | null;
  /** null: AWS, addressed by region. */
  readonly endpointUrl: string | null;
  readonly includeBucketInPrefix: boolean;
  /** Absent: none. */
  readonly objectOptions?: ObjectOptions;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

export interface DestinationRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly displayName: string;
  readonly config: DestinationConfig;
  /** Names only, for example ["access_key_id", "secret_access_key"]; empty: credentials from the environment. */
  readonly credentialsKeys: readonly string[];
  /** The result of the last check. */
  readonly check: CheckReport;
  readonly createdAt: number;
  readonly updatedAt: number;
}
