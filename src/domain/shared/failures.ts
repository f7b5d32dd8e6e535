/**
 * Failure of a destination, as the adapter of its store reports it; src/store/failures.ts defines the meaning of each
 * reason. It never contains a secret or a body of the store.
 */
export interface StoreFailure {
  readonly reason: StoreFailureReason;
  /** Whether the same work may succeed later without a change by the customer. */
  readonly retryable: boolean;
  /** HTTP status of the store's answer; null: there was no answer. */
  readonly status: number | null;
  /** Error code of the store's answer, for example `NoSuchBucket`; null: there was none. */
  readonly code: string | null;
  /** The permission that the request needs, for example `s3:PutObject`; null: the failure is not about permissions. */
  readonly permission: string | null;
  /** What to do next. */
  readonly advice: string;
  /** The region that the store wants requests to be signed for; absent: it named none. */
  readonly wantedRegion?: string;
}

export type StoreFailureReason =
  | "access_denied"
  | "bucket_not_valid"
  | "unknown_access_key"
  | "invalid_endpoint"
  | "expired_credentials"
  | "clock_skewed"
  | "unusable_key"
  | "storage_full"
  | "not_s3"
  | "not_supported"
  | "option_refused"
  | "no_such_key"
  | "no_such_upload"
  | "invalid_part"
  | "precondition_failed"
  | "digest_mismatch"
  | "throttled"
  | "store_unavailable"
  | "network_lost"
  | "unexpected_answer";

/**
 * Failure of the source of a project's runs, as its adapter reports it. It never contains a secret, a value of a row or
 * a text of the server.
 */
export interface SourceFailure {
  readonly reason: SourceFailureReason;
  /** Whether the same work may succeed later without a change by the customer. */
  readonly retryable: boolean;
  /** Error code of the server, for example 60 of ClickHouse; null: there was none. */
  readonly code: number | null;
  /** HTTP status of the answer; null: there was no answer. */
  readonly status: number | null;
  /** What to do next. */
  readonly advice: string;
}

export type SourceFailureReason =
  | "invalid_url"
  | "access_denied"
  | "unknown_table"
  | "unknown_column"
  | "unusable_column"
  | "unknown_setting"
  | "row_too_large"
  | "rows_changed"
  | "limit_exceeded"
  | "timeout"
  | "busy"
  | "network_lost"
  | "unexpected_answer"
  | "password_lost";

/**
 * Failure of an OAuth provider, as the adapter in src/oauth reports it. It never contains a secret or a text of the
 * provider.
 */
export interface ProviderFailure {
  readonly reason:
    | "provider_refused"
    | "provider_unreachable"
    | "provider_timeout"
    /** It answered with 5xx or 429. */
    | "provider_unavailable"
    | "provider_redirects"
    | "provider_answer_too_long"
    | "provider_answer_not_understood"
    /** The client's secret cannot be decrypted: its master key is no longer in the setting. */
    | "client_secret_lost";
  /** Error code of the provider, if it is one of the standards, for example `invalid_grant`. */
  readonly code: string | null;
}

/** Why an authorization gave no token. */
export type AuthorizationFailure =
  | ProviderFailure
  | { readonly reason: "authorization_expired" | "exchange_interrupted" | "state_not_valid" };

/** Why an export ended without a cancellation. The runs that had not ended then ended for the same reason. */
export type ExportFailure =
  /** That run failed for good; its own record says why. `day`: `YYYY-MM-DD`, UTC. */
  | { readonly reason: "run_failed"; readonly runId: string; readonly day: string }
  | { readonly reason: "project_deleted" }
  | ({ readonly reason: "export_timeout"; readonly limitMs: number } & ExportReach);

/** How far an export came. */
export interface ExportReach {
  /** All its runs, and those that were COMPLETED. */
  readonly runs: number;
  readonly runsDone: number;
  /** Over the runs that had taken their snapshot. */
  readonly rowsPlanned: number;
  readonly rowsWritten: number;
}

/** Why an attempt of an export run failed; shown as `errors.retry_<n>` in the record of the run. */
export type ExportRunFailure =
  | { readonly reason: "store"; readonly store: StoreFailure }
  | { readonly reason: "source"; readonly source: SourceFailure }
  | { readonly reason: "destination_deleted" }
  | { readonly reason: "run_timeout"; readonly limitMs: number }
  | { readonly reason: "processing"; readonly message: string }
  | { readonly reason: "crashed"; readonly step: string; readonly times: number };

/** Why a request is refused. Only src/http/kernel/problems.ts turns these into status codes. */
export type Refusal =
  | {
      readonly reason: "not_found";
      readonly what:
        | "workspace"
        | "API key"
        | "destination"
        | "export"
        | "run"
        | "project"
        | "feedback"
        | "source"
        | "provider"
        | "token"
        | "deployment"
        | "revision"
        | "listener";
      readonly id: string;
    }
  /** The record exists now, but did not at that moment. */
  | { readonly reason: "not_found_then"; readonly message: string }
  | { readonly reason: "unauthorized"; readonly message: string }
  | { readonly reason: "plan_required"; readonly plan: string }
  | { readonly reason: "forbidden"; readonly message: string }
  | { readonly reason: "conflict"; readonly message: string }
  | {
      readonly reason: "invalid";
      readonly loc: readonly (string | number)[];
      readonly message: string;
      readonly type: string;
    }
  | { readonly reason: "destination_check"; readonly store: StoreFailure }
  | { readonly reason: "source_check"; readonly source: SourceFailure }
  | { readonly reason: "authorization"; readonly failure: AuthorizationFailure }
  | { readonly reason: "capacity"; readonly message: string; readonly retryAfterSeconds: number }
  /** A fault of the service's machine, not of the request: a later retry may succeed. */
  | { readonly reason: "unavailable"; readonly message: string; readonly retryAfterSeconds: number };
