import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Quote } from "../../src/wire/quote.ts";
import { announceWallet } from "./announce-wallet.ts";
import { type Answer, AnvilWallet, rejected } from "./anvil-wallet.ts";
import { Chain } from "./chain.ts";
import { elementShop } from "./element-shop.ts";

const chainId = 84_532;
const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";

export function walletCases(browser: () => Browser): void {
  describe("a wallet in the browser", () => {
    let chain: Chain;
    const shop = elementShop(browser);
    let account: string;
    let wallet: AnvilWallet;

    beforeAll(async () => {
      chain = await Chain.start(chainId);
      [account = ""] = await chain.accounts();
      await chain.deployToken(account, usdc, 10n ** 12n);
    });
    afterAll(() => chain?.stop());

    beforeEach(() => {
      wallet = new AnvilWallet(chain, chainId, account);
    });

    /** Opens the page of a new order with the wallet, which has received no request yet. */
    async function opened(symbol = "USDC"): Promise<Quote & { readonly address: string }> {
      const page = await shop.watch();
      await page.exposeFunction("askWallet", wallet.answer.bind(wallet));
      await page.addInitScript(announceWallet);
      const order = await shop.order();
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      if (symbol !== "USDC") await page.getByText(symbol, { exact: true }).click();
      await page.getByText(new RegExp(`^[\\d.]+ ${symbol}$`)).waitFor();
      await page.getByRole("button", { name: "Anvil Wallet" }).waitFor();
      expect(wallet.calls).toEqual([]);
      const payment = shop.sandbox.payments.all().find(({ id }) => id === order.paymentId);
      const quote = payment?.quotes.find(
        (it) => it.chainId === chainId && it.token.symbol === symbol,
      );
      if (!quote || !payment?.depositAddress) throw new Error("The sandbox offers no such quote.");
      return { ...quote, address: payment.depositAddress.address };
    }

    const pay = () => shop.page.getByRole("button", { name: "Anvil Wallet" }).click();
    const says = (text: string) =>
      shop.page.locator('[part="wallet-status"] p', { hasText: text }).waitFor();
    const expireQuote = async () => {
      await shop.sandbox.clock.advance("11m");
      void shop.refresh();
    };
    const errors = () =>
      shop.events.filter(({ name }) => name === "error").map(({ detail }) => detail.code);

    test("sends exactly the quoted token amount, and the transaction is reported", async () => {
      const { address, expectedAmountAsset, paymentId } = await opened();
      await pay();
      await says("Anvil Wallet has sent the payment.");
      expect(await chain.tokenBalance(usdc, address)).toBe(BigInt(expectedAmountAsset));
      expect(wallet.sent()).toHaveLength(1);
      const hash = await shop.page.locator("code", { hasText: /^0x[0-9a-f]{64}$/ }).textContent();
      const told = () =>
        shop.sandbox
          .requests()
          .find((it) => it.method === "POST" && it.path.includes(`${paymentId}/refresh-status`));
      await expect.poll(told).toBeDefined();
      expect(JSON.parse(told()?.body ?? "")).toEqual({
        transactionHash: hash,
        chainId,
        tokenContractAddress: usdc,
      });
      expect(await chain.receipt(hash ?? "")).toMatchObject({
        status: "0x1",
        to: usdc.toLowerCase(),
      });
      expect(errors()).toEqual([]);
    });

    test("sends exactly the quoted amount of the chain's native asset", async () => {
      const { address, expectedAmountAsset } = await opened("ETH");
      await pay();
      await says("Anvil Wallet has sent the payment.");
      expect(await chain.nativeBalance(address)).toBe(BigInt(expectedAmountAsset));
      expect(wallet.sent()).toHaveLength(1);
    });

    test("is switched to the quote's chain first", async () => {
      wallet.current = 1;
      const { address, expectedAmountAsset } = await opened();
      await pay();
      await says("Anvil Wallet has sent the payment.");
      expect(await chain.tokenBalance(usdc, address)).toBe(BigInt(expectedAmountAsset));
      expect(wallet.calls.map(({ method }) => method)).toEqual([
        "eth_requestAccounts",
        "eth_chainId",
        "wallet_switchEthereumChain",
        "eth_chainId",
        "eth_sendTransaction",
      ]);
    });

    test("that does not know the chain sends nothing, or adds it with the shop's RPC URL", async () => {
      wallet.current = 1;
      wallet.known.delete(chainId);
      const { address, expectedAmountAsset } = await opened();
      await pay();
      await says("Anvil Wallet does not know Base Sepolia.");
      expect([wallet.sent(), errors()]).toEqual([[], ["wallet_unknown_chain"]]);
      await shop.element.evaluate((element) => {
        (element as HTMLElementTagNameMap["settlekit-checkout"]).rpcUrls = {
          84532: ["https://node.example"],
        };
      });
      await pay();
      await says("Anvil Wallet has sent the payment.");
      const added = wallet.calls.find(({ method }) => method === "wallet_addEthereumChain");
      expect(added?.params).toEqual([
        {
          chainId: "0x14a34",
          chainName: "Base Sepolia",
          nativeCurrency: { name: "ETH", symbol: "ETH", decimals: 18 },
          rpcUrls: ["https://node.example"],
        },
      ]);
      expect(await chain.tokenBalance(usdc, address)).toBe(BigInt(expectedAmountAsset));
    });

    test.each<[string, string, string, Record<string, Answer>]>([
      [
        "is denied an account",
        "wallet_rejected",
        "You rejected the request",
        { eth_requestAccounts: rejected },
      ],
      [
        "is denied the transfer",
        "wallet_rejected",
        "You rejected the request",
        { eth_sendTransaction: rejected },
      ],
      [
        "stays on another chain",
        "wallet_wrong_chain",
        "is not on Base Sepolia",
        { eth_chainId: () => "0x1" },
      ],
      [
        "lies about its chain",
        "wallet_wrong_chain",
        "is not on Base Sepolia",
        // Varies between another chain, the right one in the wrong form, and none.
        { eth_chainId: () => ["0x1", 84_532, "84532", null][wallet.calls.length % 4] },
      ],
      [
        "returns no account",
        "wallet_failed",
        "reported an error",
        { eth_requestAccounts: () => ["nobody"] },
      ],
      [
        "has a pending request",
        "wallet_busy",
        "A wallet request is still pending",
        {
          eth_requestAccounts: () =>
            Promise.reject(Object.assign(new Error("Busy"), { code: -32_002 })),
        },
      ],
      [
        "holds too little",
        "wallet_insufficient_funds",
        "does not hold enough",
        { eth_requestAccounts: async () => (await chain.accounts()).slice(1) },
      ],
    ])("sends nothing if it %s", async (_, code, words, changes) => {
      wallet.answers = changes;
      const { address } = await opened();
      await pay();
      await says(words);
      await expect.poll(errors).toEqual([code]);
      expect(await chain.tokenBalance(usdc, address)).toBe(0n);
      expect(await shop.page.getByRole("button", { name: "Anvil Wallet" }).isEnabled()).toBe(true);
    });

    test("sends nothing when the quote expires while it asks the customer", async () => {
      const asking = Promise.withResolvers<string[]>();
      wallet.answers = { eth_requestAccounts: () => asking.promise };
      const { address } = await opened();
      await pay();
      await says("Open Anvil Wallet and choose an account.");
      await expireQuote();
      await says("The price expired before you confirmed.");
      asking.resolve([account]);
      await shop.page.getByRole("timer").waitFor();
      expect([wallet.sent(), errors()]).toEqual([[], ["quote_expired"]]);
      expect(await chain.tokenBalance(usdc, address)).toBe(0n);
    });

    test("withdraws the transfer that it shows when the quote expires, and pays at the new price", async () => {
      wallet.showTransfers({ canWithdraw: true });
      const { address } = await opened();
      await pay();
      await says("Check the amount and the address in Anvil Wallet, then confirm.");
      await expireQuote();
      await says("The price expired before you confirmed. Nothing was sent.");
      expect(wallet.calls.at(-1)).toEqual({
        method: "wallet_revokePermissions",
        params: [{ eth_accounts: {} }],
      });
      expect(errors()).toEqual(["quote_expired"]);
      expect(await chain.tokenBalance(usdc, address)).toBe(0n);

      wallet.answers = {};
      await shop.page.getByRole("timer").waitFor();
      await pay();
      await says("Anvil Wallet has sent the payment.");
      expect(await chain.tokenBalance(usdc, address)).toBeGreaterThan(0n);
    });

    test("asks the customer to reject a transfer that it cannot withdraw when the quote expires", async () => {
      const { reject } = wallet.showTransfers({ canWithdraw: false });
      const { address } = await opened();
      await pay();
      await says("Check the amount and the address in Anvil Wallet, then confirm.");
      await expireQuote();
      await says("The price has expired. Reject the request in Anvil Wallet");
      await expect.poll(errors).toEqual(["quote_expired"]);
      reject();
      await says("The price expired before you confirmed. Nothing was sent.");
      await shop.page.getByRole("timer").waitFor();
      expect(wallet.sent()).toHaveLength(1);
      expect(await chain.tokenBalance(usdc, address)).toBe(0n);
      expect(errors()).toEqual(["quote_expired"]);
    });

    test("withdraws the transfer that it shows when the customer cancels", async () => {
      wallet.showTransfers({ canWithdraw: true });
      await opened();
      await pay();
      await says("Check the amount and the address in Anvil Wallet, then confirm.");
      await shop.page.getByRole("button", { name: "Cancel" }).click();
      await shop.page.getByRole("button", { name: "Anvil Wallet", disabled: false }).waitFor();
      await expect.poll(() => wallet.calls.at(-1)?.method).toBe("wallet_revokePermissions");
      expect([wallet.sent().length, errors()]).toEqual([1, []]);
    });

    test("can be used with the keyboard alone", async () => {
      const { address, expectedAmountAsset } = await opened();
      const { page } = shop;
      const focused = () =>
        shop.element.evaluate((it) => it.shadowRoot?.activeElement?.textContent ?? "");
      for (let presses = 0; presses < 12; presses++) {
        if ((await focused()).includes("Anvil Wallet")) break;
        await page.keyboard.press("Tab");
      }
      expect(await focused()).toBe("Pay with Anvil Wallet");
      await page.keyboard.press("Enter");
      await says("Anvil Wallet has sent the payment.");
      expect(await chain.tokenBalance(usdc, address)).toBe(BigInt(expectedAmountAsset));
      // The button is gone, and the focus stays in the element.
      expect(await page.evaluate(() => document.activeElement?.localName)).toBe(
        "settlekit-checkout",
      );
    });

    test("does not crash the page with an icon that is nested too deeply", async () => {
      const page = await shop.watch();
      await page.addInitScript(() => {
        const icon = `data:image/svg+xml,<svg>${"<g>".repeat(60_000)}`;
        const detail = {
          info: { uuid: "1", name: "Deep Wallet", icon },
          provider: { request() {} },
        };
        addEventListener("eip6963:requestProvider", () =>
          dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail })),
        );
      });
      await shop.visit(await shop.order());
      await page.getByRole("button", { name: "Deep Wallet" }).locator("svg").waitFor();
    });

    test("sends nothing after the customer cancelled", async () => {
      const asking = Promise.withResolvers<string[]>();
      wallet.answers = { eth_requestAccounts: () => asking.promise };
      await opened();
      await pay();
      await shop.page.getByRole("button", { name: "Cancel" }).click();
      asking.resolve([account]);
      await shop.page.getByRole("button", { name: "Anvil Wallet", disabled: false }).waitFor();
      expect(wallet.sent()).toEqual([]);
    });
  });
}
