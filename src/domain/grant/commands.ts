import type { AuthorizationFailure } from "../shared/failures.ts";
import type { Token } from "./events.ts";

/** What can be asked of a grant. `now` is the shell's clock at the moment of asking. */
export type GrantCommand =
  | {
      readonly type: "Begin";
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
      readonly type: "RefreshToken";
      readonly tokenId: string;
      readonly scopes: readonly string[];
      readonly expiresAt: number | null;
      readonly now: number;
    }
  | { readonly type: "LoseToken"; readonly tokenId: string; readonly now: number }
  | {
      readonly type: "DescribeToken";
      readonly tokenId: string;
      /** Absent: as it is. */
      readonly accountLabel?: string | null;
      readonly isDefault?: boolean;
      readonly now: number;
    }
  | { readonly type: "DeleteToken"; readonly tokenId: string; readonly revoked: boolean; readonly now: number }
  /** Time has passed. */
  | { readonly type: "Tick"; readonly now: number };
