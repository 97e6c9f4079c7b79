/** Runs in the page: announces a wallet, as extensions do (EIP-6963 and EIP-1193). */
export function announceWallet(): void {
  type Settled = { result?: unknown; error?: { code: number; message: string } };
  const { askWallet } = globalThis as unknown as { askWallet(call: object): Promise<Settled> };
  const provider = {
    async request(call: object) {
      const { result, error } = await askWallet(call);
      if (error) throw Object.assign(new Error(error.message), error);
      return result;
    },
  };
  const icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'%3E%3Crect width='1' height='1'/%3E%3C/svg%3E";
  const info = { uuid: "1", name: "Anvil Wallet", icon, rdns: "test.anvil" };
  const announce = () =>
    dispatchEvent(
      new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }),
    );
  addEventListener("eip6963:requestProvider", announce);
  announce();
}
