/** What stops a command at the terminal. The message is written for the person there: what happened, what to do. */
export class DevFailure extends Error {}

/** One that may be gone at the next try: nobody answered, or the service was busy. */
export class PassingFailure extends DevFailure {}

/** Runs a command's main function: a DevFailure ends it with its plain message, anything else with its stack. */
export const runCommand = async (main: () => Promise<void>): Promise<void> => {
  try {
    await main();
  } catch (failure) {
    console.error(failure instanceof DevFailure ? `\n${failure.message}` : failure);
    process.exitCode = 1;
  }
};
