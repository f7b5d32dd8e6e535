import type { Provider, ProviderChange } from "./records.ts";

/** Commands to the providers of a workspace. `now`: the shell's clock at the moment of the command. */
export type ProviderCommand =
  | { readonly type: "AddProvider"; readonly provider: Provider; readonly now: number }
  | {
      readonly type: "ChangeProvider";
      readonly providerId: string;
      readonly change: ProviderChange;
      readonly now: number;
    }
  | { readonly type: "RemoveProvider"; readonly providerId: string; readonly now: number };
