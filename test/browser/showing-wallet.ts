import type { Page } from "playwright-core";
import { announceWallet } from "./announce-wallet.ts";

/** A wallet without a chain that shows each transfer until the test answers, and cannot withdraw it. */
export class ShowingWallet {
  readonly transfers: PromiseWithResolvers<string>[] = [];
  /** How often the page has asked it to withdraw its requests. */
  withdrawals = 0;
  /** Until then, it does not tell its accounts. */
  unlocked: Promise<void> = Promise.resolve();

  /** Announces itself in every document that the page opens from now on. */
  async join(page: Page): Promise<void> {
    await page.exposeFunction("askWallet", ({ method }: { method: string }) =>
      this.#answer(method).then(
        (result) => ({ result }),
        ({ code, message }) => ({ error: { code, message } }),
      ),
    );
    await page.addInitScript(announceWallet);
  }

  /** Confirms a transfer as the customer would. Returns its hash. */
  confirm(index: number): string {
    const hash = `0x${String(index + 1).repeat(64)}`;
    this.transfers[index]?.resolve(hash);
    return hash;
  }

  reject(index: number): void {
    const error = Object.assign(new Error("User rejected the request."), { code: 4001 });
    this.transfers[index]?.reject(error);
  }

  async #answer(method: string): Promise<unknown> {
    if (method === "eth_requestAccounts") {
      await this.unlocked;
      return [`0x${"ab".repeat(20)}`];
    }
    if (method === "eth_chainId") return "0x14a34";
    if (method === "wallet_revokePermissions") this.withdrawals += 1;
    if (method !== "eth_sendTransaction") {
      throw Object.assign(new Error("Unknown method"), { code: -32_601 });
    }
    const transfer = Promise.withResolvers<string>();
    this.transfers.push(transfer);
    return transfer.promise;
  }
}
