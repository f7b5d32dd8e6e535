import type { AuthorizationFailure } from "../shared/failures.ts";
import type { Token } from "./events.ts";

/** Commands to a grant. `now`: the shell's clock at the moment of the command. */
export type GrantCommand =
  | {
      readonly type: "BeginAuthorization";
      readonly authId: string;
      readonly scopes: readonly string[];
      readonly redirectUri: string;
      readonly isDefault: boolean;
      readonly now: number;
    }
  | { readonly type: "ReceiveCode"; readonly authId: string; readonly now: number }
  | {
      readonly type: "FailAuthorization";
      readonly authId: string;
      readonly failure: AuthorizationFailure;
      readonly now: number;
    }
  | {
      readonly type: "GrantToken";
      readonly authId: string;
      readonly token: Pick<Token, "id" | "scopes" | "expiresAt" | "canRefresh" | "accountLabel">;
      readonly now: number;
    }
  | {
      readonly type: "RecordRefresh";
      readonly tokenId: string;
      readonly scopes: readonly string[];
      readonly expiresAt: number | null;
      readonly now: number;
    }
  /** The provider no longer accepts its refresh token. */
  | { readonly type: "DiscardToken"; readonly tokenId: string; readonly now: number }
  | {
      readonly type: "DescribeToken";
      readonly tokenId: string;
      /** Absent: as it is. */
      readonly accountLabel?: string | null;
      readonly isDefault?: boolean;
      readonly now: number;
    }
  /** `revoked`: the provider has revoked it. */
  | { readonly type: "DeleteToken"; readonly tokenId: string; readonly revoked: boolean; readonly now: number }
  | { readonly type: "Wake"; readonly now: number };
