import type { FleetInvariant } from "./fleet-invariant.ts";

/** What an agent is entrusted with is seen by nobody but its listener. */
export const sealedSecrets: FleetInvariant = {
  name: "sealed-secrets",
  promise: "No secret of a revision appears in what is stored, sent or logged, but on its way in and to its listener.",
  watch: ({ operator }, violated) => ({
    onText: (text, where) => {
      for (const secret of operator.secrets) if (text.includes(secret)) violated(`a secret appears in ${where}`);
    },
  }),
};
