import type { Invariant } from "./invariant.ts";

/** Exported files never change. */
export const stableObjects: Invariant = {
  name: "stable-objects",
  promise:
    "A key of an export is never written again with different bytes, despite crashes, repeated and late requests.",
  watch: (_world, violated) => {
    const first = new Map<string, Uint8Array>();
    return {
      onObject: (key, { bytes }) => {
        if (!key.includes("export_id=")) return;
        const before = first.get(key);
        if (before === undefined) first.set(key, bytes);
        else if (Buffer.compare(before, bytes) !== 0) violated(`${key} was written again with different bytes`);
      },
    };
  },
};
