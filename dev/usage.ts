import { DevFailure } from "./failure.ts";

/** Reads a command line. Turns an error of `read` into a DevFailure with its message and the usage. */
export const withUsage = <Options>(usage: string, read: () => Options): Options => {
  try {
    return read();
  } catch (error) {
    throw new DevFailure(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
};
