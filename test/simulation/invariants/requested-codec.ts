import type { CompressionCodec } from "hyparquet";
import { parquetMetadata } from "hyparquet/src/metadata.js";
import type { Compression } from "../../../src/domain/shared/format.ts";
import type { Invariant } from "./invariant.ts";

const NAMES: Readonly<Record<Compression, CompressionCodec>> = {
  zstandard: "ZSTD",
  snappy: "SNAPPY",
  gzip: "GZIP",
  none: "UNCOMPRESSED",
};

/** Column chunks are only copied if they have the requested codec: a chunk with another codec was copied by mistake. */
export const requestedCodec: Invariant = {
  name: "requested-codec",
  promise: "Each column chunk in the committed files of an export has the compression of the export.",
  watch: (world, violated) => ({
    atRest: () => {
      for (const actor of world.logs.exports.values()) {
        const state = world.logs.exportState(actor);
        if (state.status === "NONE") continue;
        const { id, compression } = state.plan.definition;
        for (const run of world.logs.runsOf(id)) {
          const known = world.logs.runState(run);
          const files = known.status === "NONE" ? [] : known.progress.files;
          for (const { key } of files) {
            const object = world.bucket.objects.get(key);
            const other =
              object === undefined ? undefined : codecsIn(object.bytes).find((one) => one !== NAMES[compression]);
            if (other !== undefined) violated(`${key} has a chunk in ${other} instead of ${compression}`);
          }
        }
      }
    },
  }),
};

const codecsIn = (bytes: Uint8Array): readonly (CompressionCodec | undefined)[] =>
  parquetMetadata(Uint8Array.from(bytes).buffer).row_groups.flatMap(({ columns }) =>
    columns.map((column) => column.meta_data?.codec),
  );
