import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  checkPayment,
  type Known,
  nothingKnown,
  offerOf,
} from "../../../src/checkout/element/state.ts";
import { WalletPayment } from "../../../src/checkout/element/wallet-payment.ts";
import { paymentRequest } from "../../../src/checkout/payment-request.ts";
import type { SettlekitError } from "../../../src/errors.ts";
import { payment as anyPayment, quote as anyQuote } from "./facts.ts";

/** The transfers that the wallet was asked for; it answers when the test says so. */
let transfers: PromiseWithResolvers<string>[];
let accounts: PromiseWithResolvers<string[]>;
let payments = 0;

const provider = {
  async request({ method }: { method: string }) {
    if (method === "eth_requestAccounts") return accounts.promise;
    if (method === "eth_chainId") return "0x14a34";
    if (method !== "eth_sendTransaction") throw new Error("Unknown method");
    const transfer = Promise.withResolvers<string>();
    transfers.push(transfer);
    return transfer.promise;
  },
};
const hash = `0x${"1".repeat(64)}`;

beforeEach(() => {
  transfers = [];
  accounts = Promise.withResolvers();
  accounts.resolve([`0x${"ab".repeat(20)}`]);
  payments += 1;
  const page = new EventTarget();
  const stored = new Map<string, string>();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("dispatchEvent", page.dispatchEvent.bind(page));
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  page.addEventListener("eip6963:requestProvider", () => {
    const detail = { info: { uuid: "1", name: "Stub Wallet" }, provider };
    page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** An element's wallet payment, of the same payment for the whole test. */
async function element() {
  const payment = { ...anyPayment, id: `payment_${payments}` };
  const quote = { ...anyQuote, paymentId: payment.id };
  const request = paymentRequest(payment, quote, () => 0);
  const offer = offerOf(request, quote, undefined);
  const { choice } = offer;
  const it = {
    known: { ...nothingKnown, payment, offer, choice, choices: [choice] } as Known,
    errors: [] as string[],
    wallet: undefined as unknown as WalletPayment,
  };
  it.wallet = new WalletPayment({
    known: () => it.known,
    update: (facts) => {
      it.known = { ...it.known, ...facts };
    },
    report: (error) => it.errors.push((error as SettlekitError).code),
    rpcUrls: () => ({}),
    connection: () => undefined,
    reread: async () => {},
  });
  it.wallet.start(payment.id, new AbortController().signal);
  await vi.waitUntil(() => it.known.wallets.length === 1);
  return it;
}

const asked = (count: number) => vi.waitUntil(() => transfers.length === count);

describe("a wallet", () => {
  test("is asked once when its button is clicked twice", async () => {
    const { wallet, errors } = await element();
    const paying = Promise.all([wallet.pay("1"), wallet.pay("1")]);
    await asked(1);
    transfers[0]?.resolve(hash);
    await paying;
    expect([transfers.length, errors]).toEqual([1, []]);
  });

  test.each([
    ["", () => {}],
    [" where the browser has no locks", () => void vi.stubGlobal("navigator", {})],
  ])("is asked by one element at a time%s", async (_, prepare) => {
    prepare();
    const [first, second] = [await element(), await element()];
    const paying = first.wallet.pay("1");
    await asked(1);
    await second.wallet.pay("1");
    expect([transfers.length, second.errors]).toEqual([1, ["wallet_busy"]]);
    transfers[0]?.resolve(hash);
    await paying;
    expect(second.known.sent).toMatchObject([{ hash }]);
  });

  test("is asked even if another element of the payment starts at that moment", async () => {
    const it = await element();
    const starting = element();
    const paying = it.wallet.pay("1");
    await starting;
    await vi.waitUntil(() => transfers.length === 1 || it.errors.length > 0);
    expect(it.errors).toEqual([]);
    transfers[0]?.resolve(hash);
    await paying;
  });

  test("is not asked to send after the price has changed", async () => {
    accounts = Promise.withResolvers();
    const it = await element();
    const paying = it.wallet.pay("1");
    const { offer } = it.known;
    it.known = { ...it.known, offer: offer && { ...offer } };
    accounts.resolve([`0x${"ab".repeat(20)}`]);
    await paying;
    expect([transfers.length, it.errors]).toEqual([0, ["quote_expired"]]);
  });
});

describe("a transfer", () => {
  test("that was sent is known to an element that shows the payment later", async () => {
    const before = await element();
    const paying = before.wallet.pay("1");
    await asked(1);
    transfers[0]?.resolve(hash);
    await paying;
    expect((await element()).known.sent).toMatchObject([{ hash, wallet: "Stub Wallet" }]);
  });

  test("that was sent is kept when another one is sent, even where the browser forbids storage", async () => {
    vi.stubGlobal("localStorage", undefined);
    const it = await element();
    const hashes = [hash, `0x${"2".repeat(64)}`];
    for (const [index, sent] of hashes.entries()) {
      const paying = it.wallet.pay("1");
      await asked(index + 1);
      transfers[index]?.resolve(sent);
      await paying;
    }
    expect(it.known.sent.map((transfer) => transfer.hash)).toEqual(hashes);
  });

  test("that was sent although the customer cancelled is kept", async () => {
    const it = await element();
    const paying = it.wallet.pay("1");
    await asked(1);
    it.wallet.giveUp();
    transfers[0]?.resolve(hash);
    await paying;
    expect(it.known.sent).toMatchObject([{ hash }]);
  });

  test("may have been sent if the wallet's error cannot be read", async () => {
    const it = await element();
    const paying = it.wallet.pay("1");
    await asked(1);
    const unreadable = () => {
      throw new Error("This object belongs to an unloaded extension.");
    };
    transfers[0]?.reject(new Proxy({}, { get: unreadable }));
    await paying;
    expect(it.known.wallet).toMatchObject({ step: "failed", failure: "wallet_outcome_unknown" });
  });

  describe("that may have been sent", () => {
    /** An element whose wallet lost its connection while it showed the transfer. */
    async function inDoubt() {
      const it = await element();
      const paying = it.wallet.pay("1");
      await asked(1);
      transfers[0]?.reject(new Error("Lost connection"));
      await paying;
      expect(it.known.wallet).toMatchObject({ failure: "wallet_outcome_unknown" });
      return it;
    }
    const stubWallet = [{ wallet: "Stub Wallet" }];

    test("stays in doubt when the customer chooses another token", async () => {
      const it = await inDoubt();
      it.wallet.giveUp();
      expect(it.known).toMatchObject({ wallet: undefined, doubted: stubWallet });
    });

    test.each<[string, (transfer: PromiseWithResolvers<string> | undefined) => unknown]>([
      ["rejects", (transfer) => transfer?.reject({ code: 4001, message: "User rejected" })],
      ["confirms", (transfer) => transfer?.resolve(hash)],
    ])(
      "stays in doubt, even after a reload, when the customer %s another one",
      async (_, answer) => {
        const it = await inDoubt();
        const paying = it.wallet.pay("1");
        await asked(2);
        answer(transfers[1]);
        await paying;
        expect(it.known.doubted).toMatchObject(stubWallet);
        const { known } = await element();
        expect(known.doubted).toMatchObject(stubWallet);
      },
    );

    test("is shown by another element at once", async () => {
      const other = await element();
      await inDoubt();
      expect(other.known).toMatchObject({ wallet: undefined, doubted: stubWallet });
    });

    test("is shown by an element that learns only when it is asked to pay that a tab was closed", async () => {
      const other = await element();
      const { wallet } = await element();
      const paying = wallet.pay("1");
      await asked(1);
      const key = `settlekit:sent:payment_${payments}`;
      const open = localStorage.getItem(key) ?? "";
      transfers[0]?.reject({ code: 4001, message: "User rejected" });
      await paying;
      localStorage.setItem(key, open);
      await other.wallet.pay("1");
      expect(other.known).toMatchObject({ wallet: undefined, doubted: stubWallet });
      expect(transfers.length).toBe(1);
      const again = other.wallet.pay("1");
      await asked(2);
      transfers[1]?.resolve(hash);
      await again;
    });
  });

  test("without an answer blocks another one, even after the customer cancelled", async () => {
    const it = await element();
    const paying = it.wallet.pay("1");
    await asked(1);
    it.wallet.giveUp();
    expect(it.known.wallet).toMatchObject({ step: "sending", withdrawn: "cancelled" });
    await it.wallet.pay("1");
    expect(transfers.length).toBe(1);
    transfers[0]?.resolve(hash);
    await paying;
  });
});

test("a response about another payment is not shown", () => {
  expect(() => checkPayment(anyPayment, "payment_0")).toThrow(/a different payment/);
});
