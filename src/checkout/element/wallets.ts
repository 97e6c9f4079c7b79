import { isRecord } from "../../values.ts";
import type { AnnouncedWallet } from "./state.ts";
import { printable } from "./texts.ts";

/** A wallet in the browser (EIP-1193). */
export interface WalletProvider {
  request(call: {
    readonly method: string;
    readonly params?: readonly unknown[];
  }): Promise<unknown>;
}

/** RPC URLs by chain id, so that a wallet can add a chain it does not know. */
export type RpcUrls = Readonly<Record<number, readonly string[]>>;

/** Collects wallets that announce themselves (EIP-6963), each uuid once, without sending them anything. */
export class Wallets {
  readonly #providers = new Map<string, WalletProvider>();
  /** All of them so far. */
  announced: readonly AnnouncedWallet[] = [];

  /** @param onAdd Called whenever one is added, until the signal aborts. */
  discover(onAdd: () => void, signal: AbortSignal): void {
    const announce = ({ detail }: Event & { readonly detail?: unknown }) => {
      const { info, provider } = isRecord(detail) ? detail : {};
      if (!isRecord(info) || !isProvider(provider)) return;
      const { uuid, icon } = info;
      const name = printable(info.name);
      if (typeof uuid !== "string" || name === "" || this.#providers.has(uuid)) return;
      this.#providers.set(uuid, provider);
      const isData = typeof icon === "string" && icon.startsWith("data:image/");
      this.announced = [...this.announced, { uuid, name, icon: isData ? icon : undefined }];
      onAdd();
    };
    addEventListener("eip6963:announceProvider", announce, { signal });
    dispatchEvent(new Event("eip6963:requestProvider"));
  }

  provider(uuid: string): WalletProvider | undefined {
    return this.#providers.get(uuid);
  }
}

function isProvider(value: unknown): value is WalletProvider {
  return isRecord(value) && typeof value.request === "function";
}
