/**
 * Bytes of payload that all runs of one isolate may hold at once. The platform gives an isolate 128 MB and may put
 * many runs into one (Workers limits), so a limit of each run alone would not do.
 */
const ROOM_BYTES = 48 * 1024 * 1024;

/** Pause between looks at the room. Runs cannot wake each other: the platform forbids I/O on behalf of another actor. */
const LOOK_AGAIN_MS = 5;

let taken = 0;

/** Does `work` while it holds `bytes` of the room; waits until they are free. Work larger than the room goes alone. */
export async function inRoom<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  while (taken > 0 && taken + bytes > ROOM_BYTES) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  taken += bytes;
  try {
    return await work();
  } finally {
    taken -= bytes;
  }
}
