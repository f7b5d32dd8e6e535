import { MAX_PROJECT_NAME_CHARACTERS } from "../../domain/project/records.ts";
import { ok, type Result } from "../../domain/shared/result.ts";
import { isCleanText } from "../../domain/shared/text.ts";
import { type Invalid, invalid, type Location } from "../run/change.ts";

/** Project of a post that names none, the same as the clients' own default. */
export const DEFAULT_PROJECT = "default";

/** The name, if a project may have it. */
export function checkProjectName(name: string, loc: Location): Result<string, Invalid> {
  if (name.length > MAX_PROJECT_NAME_CHARACTERS)
    return invalid(loc, `must have at most ${MAX_PROJECT_NAME_CHARACTERS} characters`, "string_too_long");
  if (!isCleanText(name)) return invalid(loc, "must not hold control characters or broken Unicode", "value_error");
  return ok(name);
}
