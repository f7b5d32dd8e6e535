import { admission } from "./admission.ts";
import { atRest } from "./at-rest.ts";
import { awake } from "./awake.ts";
import { closedUploads } from "./closed-uploads.ts";
import { completeRows } from "./complete-rows.ts";
import { history } from "./history.ts";
import type { Invariant } from "./invariant.ts";
import { lateRows } from "./late-rows.ts";
import { mergedContent } from "./merged-content.ts";
import { requestedCodec } from "./requested-codec.ts";
import { secrets } from "./secrets.ts";
import { spentRetries } from "./spent-retries.ts";
import { stableObjects } from "./stable-objects.ts";
import { trueEnds } from "./true-ends.ts";
import { trueManifest } from "./true-manifest.ts";
import { trueReports } from "./true-reports.ts";
import { windows } from "./windows.ts";

/** All invariants of exports. */
export const INVARIANTS: readonly Invariant[] = [
  history,
  spentRetries,
  admission,
  awake,
  stableObjects,
  trueReports,
  trueEnds,
  windows,
  trueManifest,
  completeRows,
  lateRows,
  mergedContent,
  requestedCodec,
  closedUploads,
  secrets,
  atRest,
];
