import type { Invariant } from "./invariant.ts";

/** Secret access keys are only visible in memory. */
export const secrets: Invariant = {
  name: "secrets",
  promise: "No secret access key appears in a text that is stored, sent, logged or written to a bucket.",
  watch: (world, violated) => ({
    onText: (text, where) => {
      for (const secret of world.customer.secrets) if (text.includes(secret)) violated(`a secret appears in ${where}`);
    },
  }),
};
