import type { ExportField } from "../../../src/domain/run/columns.ts";
import type { SourceFailure } from "../../../src/domain/shared/failures.ts";
import type { Compression, FormatVersion } from "../../../src/domain/shared/format.ts";
import type { Limits } from "../../../src/domain/shared/limits.ts";
import type { Window } from "../../../src/domain/shared/time.ts";

/** The export to estimate. */
export interface EstimateQuestion {
  readonly window: Window;
  readonly exportFields: readonly ExportField[] | null;
  readonly formatVersion: FormatVersion;
  readonly compression: Compression;
  /** As accepted; null: all runs. */
  readonly filter: string | null;
  readonly limits: Pick<Limits, "targetFileBytes" | "partBytes">;
}

export interface Estimate {
  readonly rows: number;
  readonly bytes: number;
  readonly files: number;
  /** Uploads with data: one for a small file, one per part of a large one. */
  readonly parts: number;
  /** UTC days that the window touches; each is an export run. */
  readonly days: number;
  /** Whether an export started now would find these rows and write these files; `bytes` is an upper bound then. */
  readonly exact: boolean;
}

/** Why there is no estimate. */
export type EstimateFailure =
  | { readonly reason: "source"; readonly source: SourceFailure }
  /** One request can count at most `maxDays` days with rows of this project. */
  | { readonly reason: "too_many_days"; readonly maxDays: number };
