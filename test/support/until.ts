const LOOK_EVERY_MS = 5;

/** Waits until it holds; the test's own deadline is the only one. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resume) => setTimeout(resume, LOOK_EVERY_MS));
};
