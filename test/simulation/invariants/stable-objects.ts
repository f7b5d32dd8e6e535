import type { Invariant } from "./invariant.ts";

/** Whoever has read a file has read what it will always be. */
export const stableObjects: Invariant = {
  name: "stable-objects",
  promise: "A key of an export is never written again with other bytes, whatever crashes, repeats or comes late.",
  watch: (_world, violated) => {
    const first = new Map<string, Uint8Array>();
    return {
      onObject: (key, { bytes }) => {
        if (!key.includes("export_id=")) return;
        const before = first.get(key);
        if (before === undefined) first.set(key, bytes);
        else if (Buffer.compare(before, bytes) !== 0) violated(`${key} was written again with other bytes`);
      },
    };
  },
};
