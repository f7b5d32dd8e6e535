import type { Invariant } from "./invariant.ts";

/** What opens a bucket is seen by nobody. */
export const secrets: Invariant = {
  name: "secrets",
  promise: "No secret access key appears in what is stored, sent, logged or written to any bucket.",
  watch: (world, violated) => ({
    onText: (text, where) => {
      for (const secret of world.customer.secrets) if (text.includes(secret)) violated(`a secret appears in ${where}`);
    },
  }),
};
