import type { ProviderEvent } from "./events.ts";
import type { Provider } from "./records.ts";

/** By the workspace's own name, in the order in which they were added. */
export type ProvidersState = ReadonlyMap<string, Provider>;

/** Records one event. */
export function evolve(state: ProvidersState, event: ProviderEvent): ProvidersState {
  const next = new Map(state);
  switch (event.type) {
    case "ProviderAdded":
      return next.set(event.provider.record.providerId, event.provider);
    case "ProviderChanged": {
      const known = state.get(event.providerId);
      if (known === undefined) return state;
      const { envelope = known.envelope, ...change } = event.change;
      return next.set(event.providerId, { record: { ...known.record, ...change, updatedAt: event.at }, envelope });
    }
    case "ProviderRemoved":
      next.delete(event.providerId);
      return next;
  }
}
