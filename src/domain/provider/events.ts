import type { Provider, ProviderChange } from "./records.ts";

export type ProviderEvent =
  | { readonly type: "ProviderAdded"; readonly provider: Provider; readonly at: number }
  | {
      readonly type: "ProviderChanged";
      readonly providerId: string;
      readonly change: ProviderChange;
      readonly at: number;
    }
  | { readonly type: "ProviderRemoved"; readonly providerId: string; readonly at: number };
