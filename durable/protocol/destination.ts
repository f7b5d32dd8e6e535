import type { Etags } from "../../src/domain/destination/check.ts";
import type { Credentials, DestinationConfig, DestinationRecord } from "../../src/domain/destination/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Result } from "../../src/domain/shared/result.ts";

/** A bucket and its sealed credentials. `envelope` null: the installation's own credentials. */
export interface Access {
  readonly config: DestinationConfig;
  /** According to the last check. */
  readonly etags: Etags;
  readonly envelope: string | null;
}

/** One per destination: `destination/<id>`. For another tenant it does not exist. */
export interface DestinationProtocol {
  create(command: {
    readonly id: string;
    readonly tenantId: string;
    readonly displayName: string;
    readonly config: DestinationConfig;
    readonly credentials: Credentials | null;
  }): Promise<Result<DestinationRecord, Refusal>>;
  view(tenantId: string): Promise<Result<DestinationRecord, Refusal>>;
  update(command: {
    readonly tenantId: string;
    readonly displayName?: string;
    readonly credentials?: Credentials;
  }): Promise<Result<DestinationRecord, Refusal>>;
  remove(tenantId: string): Promise<Result<null, Refusal>>;
  /** null: the destination was deleted. */
  access(tenantId: string): Promise<Access | null>;
}
