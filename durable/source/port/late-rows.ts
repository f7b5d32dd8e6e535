import type { LateSearch } from "../../../src/domain/export/commands.ts";
import type { ExportDefinition } from "../../../src/domain/export/records.ts";
import type { DueWindow } from "../../../src/domain/export/spawn.ts";
import type { CreatedExport } from "../../../src/domain/export/state.ts";

/** A query for the late rows of a schedule. */
export interface LateQuestion {
  readonly schedule: Pick<ExportDefinition, "id" | "filter">;
  /** The window that is about to be spawned, and the earlier part of the schedule that is searched. */
  readonly window: DueWindow;
  /** The schedule's memory of earlier searches; a source reads its own part. */
  readonly known: LateMemory;
}

/** `lastRegistration`: position in the day registrations of the built-in store. `table`: the ledger of an external table. */
export type LateMemory = Pick<CreatedExport, "lastRegistration" | "table">;

/**
 * `windows`: the parts of days that have late rows. The other members: the schedule's memory of this search; a source
 * returns its own part only.
 */
export type FoundLate = Pick<LateSearch, "windows"> & Partial<Pick<LateSearch, "lastRegistration" | "table">>;
