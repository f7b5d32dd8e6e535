import { afterAll, beforeAll, expect } from "vitest";
import type { BucketAddress } from "../../../dev/bucket-address.ts";
import type { Settings } from "../../../dev/settings.ts";
import type { FaultRule } from "../../support/broken-s3-rules.ts";
import type { Contents } from "./bucket-contents.ts";
import { type Ended, type Laboratory, openLaboratory } from "./laboratory.ts";

/** An export with faults between service and store. */
export interface Export {
  readonly prefix: string;
  readonly destinationId: string;
  readonly exportId: string;
}

/** The status of an ended export, and its results for the customer. */
export interface Outcome extends Ended {
  readonly contents: Contents;
  /** Keys of uploads that are still open. */
  readonly openUploads: readonly string[];
  /** The errors in the record of each day's run, by retry. */
  readonly errors: readonly Readonly<Record<string, unknown>>[];
}

/** The laboratory of a test file and the actions of its tests. */
export interface Bench {
  readonly laboratory: () => Laboratory;
  /** Starts an export into its own prefix; the rules apply after the check of its destination. */
  begin(rules: readonly FaultRule[], keys?: Partial<BucketAddress>): Promise<Export>;
  outcomeOf(begun: Export): Promise<Outcome>;
  /** Both, one after the other. */
  exportUnder(...rules: readonly FaultRule[]): Promise<Outcome>;
  /** The objects of an undisturbed export. */
  undisturbed: () => Contents;
}

/** Opens a laboratory before the first test of the file, and exports once without any fault. */
export const useLaboratory = (settings: Settings): Bench => {
  let laboratory: Laboratory;
  let undisturbed: Contents;
  let count = 0;
  const bench: Bench = {
    laboratory: () => laboratory,
    undisturbed: () => undisturbed,
    async begin(rules, keys) {
      laboratory.s3.setRules();
      count += 1;
      const prefix = `export-${count}`;
      const destinationId = await laboratory.newDestination(prefix, keys);
      laboratory.s3.setRules(...rules);
      return { prefix, destinationId, exportId: await laboratory.begin(destinationId) };
    },
    async outcomeOf({ prefix, exportId }) {
      const ended = await laboratory.untilEnded(exportId);
      await laboratory.s3.settled();
      return {
        ...ended,
        contents: await laboratory.contents({ exportId, runIds: ended.runs.map((run) => run.id), prefix }),
        openUploads: laboratory.s3.openUploads(`${prefix}/`),
        errors: ended.runs.map((run) => run.errors ?? {}),
      };
    },
    exportUnder: async (...rules) => bench.outcomeOf(await bench.begin(rules)),
  };
  beforeAll(async () => {
    laboratory = await openLaboratory(settings);
    const first = await bench.exportUnder();
    expect(first.status).toBe("COMPLETED");
    undisturbed = first.contents;
  });
  afterAll(() => laboratory?.close());
  return bench;
};

/** Keys of the objects of a day. */
export const DAY_ONE = /day=30/;
export const DAY_TWO = /day=31/;
/** The file in two parts, and the next one, a single PUT. */
export const FIRST_FILE = /0-00000/;
export const SECOND_FILE = /0-00001/;
