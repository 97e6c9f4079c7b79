import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { offerOf } from "../../../src/checkout/element/state.ts";
import { payFromWallet } from "../../../src/checkout/element/wallet-requests.ts";
import type { RpcUrls, WalletProvider } from "../../../src/checkout/element/wallets.ts";
import { paymentRequest } from "../../../src/checkout/payment-request.ts";
import { payment, quote } from "./facts.ts";

const account = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

type Request = WalletProvider["request"];

/** Pays from a wallet with the given responses. */
function payFrom(
  request: Request,
  rpcUrls: RpcUrls = {},
  isCurrent = () => true,
  onStep = () => {},
): Promise<string> {
  return payFromWallet({
    provider: { request },
    name: "Stub Wallet",
    offer: offerOf(
      paymentRequest(payment, quote, () => 0),
      quote,
      undefined,
    ),
    rpcUrls,
    isCurrent,
    onStep,
  });
}

/** Pays from a wallet that throws a value when one method is called. */
function payFromWalletThatThrows(thrown: unknown, failing: string): Promise<string> {
  const answers: Readonly<Record<string, unknown>> = {
    eth_requestAccounts: [account],
    eth_chainId: "0x14a34",
  };
  return payFrom(async ({ method }) => {
    if (method === failing) throw thrown;
    return answers[method];
  });
}

const errorOf = (code: unknown, message: string) => Object.assign(new Error(message), { code });

describe("a wallet's error after a request to send", () => {
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
  ])("leaves the outcome unknown: %s", async (_, thrown) => {
    await expect(thrownBy(thrown)).rejects.toMatchObject({
      code: "wallet_outcome_unknown",
      outcome: "unknown",
    });
  });

  test.each([
    ["nothing", null],
    ["a shortened hash", "0x1234"],
    ["an object with the hash", { hash: `0x${"1".repeat(64)}` }],
  ])(
    "and an answer without a transaction hash leave the outcome unknown: %s",
    async (_, answer) => {
      const answers: Readonly<Record<string, unknown>> = {
        eth_requestAccounts: [account],
        eth_chainId: "0x14a34",
        eth_sendTransaction: answer,
      };
      await expect(payFrom(async ({ method }) => answers[method])).rejects.toMatchObject({
        code: "wallet_outcome_unknown",
        outcome: "unknown",
      });
    },
  );

  test("is quoted, whether or not it is an Error", async () => {
    await expect(thrownBy("Out of order.")).rejects.toThrow(
      'Stub Wallet answered eth_sendTransaction with an error, "Out of order". The payment may have been sent: check the wallet.',
    );
  });
});

test("insufficient permissions are not reported as insufficient funds", async () => {
  const paid = payFromWalletThatThrows(
    errorOf(-32_603, "Insufficient permissions"),
    "eth_requestAccounts",
  );
  await expect(paid).rejects.toMatchObject({ code: "wallet_failed" });
});

describe("a wallet on another chain", () => {
  const hash = `0x${"1".repeat(64)}`;
  let chainId: string;

  beforeEach(() => {
    chainId = "0x1";
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  /** A wallet that switches its chain with `onSwitch`. */
  const switching =
    (onSwitch: () => void): Request =>
    async ({ method }) => {
      if (method === "eth_requestAccounts") return [account];
      if (method === "eth_chainId") return chainId;
      if (method === "wallet_switchEthereumChain") return onSwitch();
      if (method === "eth_sendTransaction") return hash;
      return null;
    };
  const arrive = () => {
    chainId = "0x14a34";
  };

  test("may answer shortly before it has switched", async () => {
    const paid = payFrom(switching(() => void setTimeout(arrive, 1_500)));
    await vi.runAllTimersAsync();
    expect(await paid).toBe(hash);
  });

  test.each([4200, -32_601])("that cannot switch it may be switched by hand: %d", async (code) => {
    const request = switching(() => {
      setTimeout(arrive, 1_500);
      throw errorOf(code, "Unsupported method");
    });
    const paid = payFrom(request);
    await vi.runAllTimersAsync();
    expect(await paid).toBe(hash);
  });

  test("sends nothing if it does not switch within two seconds", async () => {
    const paid = payFrom(switching(() => void setTimeout(arrive, 2_500))).catch((error) => error);
    await vi.advanceTimersByTimeAsync(2_100);
    expect(await paid).toMatchObject({ code: "wallet_wrong_chain", outcome: "not_sent" });
  });

  test("is asked to add a chain that it calls unrecognized, whatever the error's code", async () => {
    const message =
      'Unrecognized chain ID "0x14a34". Try adding the chain using wallet_addEthereumChain first.';
    const usual = switching(() => {
      throw errorOf(-32_603, message);
    });
    const request: Request = async (call) => {
      if (call.method === "wallet_addEthereumChain") arrive();
      return usual(call);
    };
    await expect(payFrom(request)).rejects.toMatchObject({ code: "wallet_unknown_chain" });
    expect(await payFrom(request, { 84532: ["https://node.example"] })).toBe(hash);
  });

  test("sends nothing if the customer's other tab sends meanwhile", async () => {
    arrive();
    let isCurrent = true;
    const onStep = () => {
      isCurrent = false;
    };
    const paid = payFrom(switching(arrive), {}, () => isCurrent, onStep);
    await expect(paid).rejects.toMatchObject({ code: "quote_expired", outcome: "not_sent" });
  });

  test.each(["eth_requestAccounts", "eth_chainId", "wallet_switchEthereumChain"])(
    "is asked for nothing more if the customer cancels before it answers %s",
    async (answered) => {
      const calls: string[] = [];
      let isCurrent = true;
      const usual = switching(() => {
        throw errorOf(4902, "Unknown chain");
      });
      const request: Request = (call) => {
        calls.push(call.method);
        if (call.method === answered) isCurrent = false;
        return usual(call);
      };
      const paid = payFrom(request, { 84532: ["https://node.example"] }, () => isCurrent);
      await expect(paid).rejects.toMatchObject({ code: "quote_expired", outcome: "not_sent" });
      expect(calls.at(-1)).toBe(answered);
    },
  );
});
