/** A failure that ends a command. The message is for the user: what happened, what to do. */
export class DevFailure extends Error {}

/** A failure that a retry may resolve: no answer, or the service was busy. */
export class TransientFailure extends DevFailure {}

/** Runs a command's main function. Prints the message of a DevFailure, or the stack of any other error. */
export const runCommand = async (main: () => Promise<void>): Promise<void> => {
  try {
    await main();
  } catch (failure) {
    console.error(failure instanceof DevFailure ? `\n${failure.message}` : failure);
    process.exitCode = 1;
  }
};
