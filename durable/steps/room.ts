/**
 * Bytes of payload that all runs of one isolate may hold at once. The platform gives an isolate 128 MB and may put
 * many runs into one (Workers limits), so a limit of each run alone would not do.
 */
const ROOM_BYTES = 48 * 1024 * 1024;

/** Pause between looks at the room. Runs cannot wake each other: the platform forbids I/O on behalf of another actor. */
const LOOK_AGAIN_MS = 5;

let taken = 0;

/** Takes `bytes` of the room as soon as they are free; the answer gives them back. More than the room goes in alone. */
export async function enterRoom(bytes: number): Promise<() => void> {
  while (taken > 0 && taken + bytes > ROOM_BYTES) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  taken += bytes;
  return () => {
    taken -= bytes;
  };
}
