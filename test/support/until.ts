const POLL_INTERVAL_MS = 5;

/** Waits until the condition holds, at most until the time limit of the test. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resume) => setTimeout(resume, POLL_INTERVAL_MS));
};
