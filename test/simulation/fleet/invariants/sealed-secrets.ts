import type { FleetInvariant } from "./fleet-invariant.ts";

/** Only the listener of a deployment sees the secrets of its agents. */
export const sealedSecrets: FleetInvariant = {
  name: "sealed-secrets",
  promise:
    "No secret of a revision appears in what is stored, logged or sent between actors, except in the work that its listener is given.",
  watch: ({ operator }, violated) => ({
    onText: (text, where) => {
      for (const secret of operator.secrets) if (text.includes(secret)) violated(`a secret appears in ${where}`);
    },
  }),
};
