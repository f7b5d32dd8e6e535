export type Plan = "developer" | "plus" | "enterprise";

/** What a key permits: reading, sending traces and feedback, or everything. */
export const ROLES = ["read", "ingest", "manage"] as const;

export type Role = (typeof ROLES)[number];

/** The user of a key that was created without one. */
export const DEFAULT_USER_ID = "default";

export interface Identity {
  readonly tenantId: string;
  /** Whose OAuth tokens the bearer of the key uses. */
  readonly userId: string;
  readonly plan: Plan;
  readonly role: Role;
}
