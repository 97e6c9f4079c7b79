import { describe, expect, test } from "vitest";
import { offerOf } from "../../../src/checkout/element/state.ts";
import { payFromWallet } from "../../../src/checkout/element/wallets.ts";
import { paymentRequest } from "../../../src/checkout/payment-request.ts";
import { payment, quote } from "./facts.ts";

const account = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** Pays from a wallet that throws something when it is asked for one method. */
function payFromWalletThatThrows(thrown: unknown, failing: string): Promise<string> {
  const answers: Readonly<Record<string, unknown>> = {
    eth_requestAccounts: [account],
    eth_chainId: "0x14a34",
  };
  const provider = {
    async request({ method }: { readonly method: string }) {
      if (method === failing) throw thrown;
      return answers[method];
    },
  };
  return payFromWallet({
    provider,
    name: "Stub Wallet",
    offer: offerOf(
      paymentRequest(payment, quote, () => 0),
      quote,
      undefined,
    ),
    rpcUrls: {},
    isCurrent: () => true,
    onStep: () => {},
  });
}

const errorOf = (code: unknown, message: string) => Object.assign(new Error(message), { code });

describe("an error of a wallet that was asked to send", () => {
  const thrownBy = (thrown: unknown) => payFromWalletThatThrows(thrown, "eth_sendTransaction");

  test.each([
    ["a rejection of EIP-1193", errorOf(4001, "No"), "wallet_rejected"],
    ["a rejection of WalletConnect", errorOf(5000, "User rejected."), "wallet_rejected"],
    ["a rejection in words", new Error("User denied transaction signature."), "wallet_rejected"],
    ["a rejection as text", "Rejected by the user", "wallet_rejected"],
    ["an account without permission", errorOf(4100, "Not authorized"), "wallet_failed"],
    ["parameters that it refuses", errorOf(-32_602, "Invalid params"), "wallet_failed"],
    ["an empty account", errorOf(-32_000, "insufficient funds"), "wallet_insufficient_funds"],
  ])("says that nothing was sent: %s", async (_, thrown, code) => {
    await expect(thrownBy(thrown)).rejects.toMatchObject({
      code,
      outcome: "not_sent",
      message: expect.stringMatching(/Nothing was sent\.$/),
    });
  });

  test.each([
    ["another error", errorOf(-32_000, "replacement transaction underpriced")],
    ["a lost connection", errorOf(4900, "Disconnected")],
    ["no error at all", undefined],
  ])("leaves open whether it was sent: %s", async (_, thrown) => {
    await expect(thrownBy(thrown)).rejects.toMatchObject({
      code: "wallet_outcome_unknown",
      outcome: "unknown",
    });
  });

  test("is quoted with its own words, whether or not it is an error object", async () => {
    await expect(thrownBy("Out of order.")).rejects.toThrow(
      'Stub Wallet answered eth_sendTransaction with an error, "Out of order". The payment may have been sent: look in the wallet.',
    );
  });
});

test("insufficient permissions are no lack of money", async () => {
  const paid = payFromWalletThatThrows(
    errorOf(-32_603, "Insufficient permissions"),
    "eth_requestAccounts",
  );
  await expect(paid).rejects.toMatchObject({ code: "wallet_failed" });
});
