import type { ProviderFailure } from "../../src/domain/shared/failures.ts";

/** Why a request to a provider failed, for the log. */
export const reasonOf = ({ reason, code }: ProviderFailure): string => (code === null ? reason : `${reason}: ${code}`);
