import { awake } from "../../invariants/awake.ts";
import { history } from "../../invariants/history.ts";
import { atRest } from "./at-rest.ts";
import type { FleetInvariant } from "./fleet-invariant.ts";
import { keptRunning } from "./kept-running.ts";
import { lostLease } from "./lost-lease.ts";
import { newestFirst } from "./newest-first.ts";
import { noticedSilence } from "./noticed-silence.ts";
import { oneLease } from "./one-lease.ts";
import { sealedSecrets } from "./sealed-secrets.ts";
import { trueActive } from "./true-active.ts";
import { trueFleet } from "./true-fleet.ts";

/** All invariants of a fleet; the first two are shared with exports. */
export const FLEET_INVARIANTS: readonly FleetInvariant[] = [
  history,
  awake,
  oneLease,
  lostLease,
  newestFirst,
  trueActive,
  keptRunning,
  noticedSilence,
  trueFleet,
  sealedSecrets,
  atRest,
];
