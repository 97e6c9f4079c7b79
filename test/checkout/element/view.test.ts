import { describe, expect, test } from "vitest";
import { loadMessages } from "../../../src/checkout/element/languages.ts";
import { english } from "../../../src/checkout/element/messages.ts";
import {
  choicesOf,
  type Known,
  nothingKnown,
  offerOf,
} from "../../../src/checkout/element/state.ts";
import { createTexts } from "../../../src/checkout/element/texts.ts";
import { viewOf } from "../../../src/checkout/element/view.ts";
import { paymentRequest } from "../../../src/checkout/payment-request.ts";
import type { Payment } from "../../../src/wire/payment.ts";
import type { Quote } from "../../../src/wire/quote.ts";
import { payment, quote } from "./facts.ts";

const texts = createTexts(english, "en-US");

function knowing(facts: Partial<Known>) {
  return viewOf({ ...nothingKnown, ...facts }, texts);
}

/** What is known when a quote is offered for the payment. */
function offered(changes: Partial<Quote> = {}, of: Partial<Payment> = {}): Known {
  const [quoted, paid] = [
    { ...quote, ...changes },
    { ...payment, ...of },
  ];
  const offer = offerOf(
    paymentRequest(paid, quoted, () => 0),
    quoted,
    undefined,
  );
  const choices = choicesOf([quoted]);
  return { ...nothingKnown, payment: paid, choices, choice: offer.choice, offer };
}

const received = (units: string, usd: string): Partial<Payment> => ({
  receipt: {
    selectedQuote: quote,
    settledAmountAsset: units,
    settledAmountUsd: usd,
    settledToken: { symbol: "USDC" },
    settledChain: { name: "Base Sepolia" },
    txHash: "0xabc",
  },
});

describe("the amount", () => {
  test.each([
    ["the selected quote's", { amountDueCents: 2600 }, { amountDueCents: 2550 }, "$26.00"],
    ["the payment's with fees, where the quote has none", {}, { amountDueCents: 2550 }, "$25.50"],
    ["the payment's", {}, {}, "$25.00"],
  ])("is %s", (_, ofQuote, ofPayment, title) => {
    expect(viewOf(offered(ofQuote, ofPayment), texts).title).toBe(title);
  });

  test("shows the fees that it includes", () => {
    expect(viewOf(offered({ amountDueCents: 2575 }), texts).fees).toBe("Includes $0.75 in fees");
    expect(viewOf(offered(), texts).fees).toBeUndefined();
  });

  test("of a deposit is the customer's choice, and comes before that of a token", () => {
    const deposit = { ...payment, type: "deposit", amountInCents: 0 };
    const { choices } = offered();
    expect(knowing({ payment: deposit, choices })).toMatchObject({
      phase: "deposit",
      title: "Make a deposit",
    });
    expect(knowing({ payment: deposit, choices, depositInCents: 1250 })).toMatchObject({
      phase: "pay",
      title: "$12.50",
      tokens: [{ label: "USDC" }],
    });
  });

  test("is never shown if it is not a number", () => {
    const odd = { ...payment, amountInCents: "25" as unknown as number };
    expect(knowing({ payment: odd }).title).not.toMatch(/NaN|25/);
  });

  test("that has changed is not asked of customers who may have just sent the old one", () => {
    const { notice } = viewOf({ ...offered(), isRenewed: true }, texts);
    expect(notice).toBe("The price has changed: if you have not paid yet, send the new amount.");
  });

  test("to send has Latin digits without grouping in every language", async () => {
    const arabic = createTexts(await loadMessages("ar"), "ar-EG");
    const known = offered({ expectedAmountAsset: "1234567890123" });
    expect(viewOf(known, arabic).transfer?.amount).toBe("1234567.890123");
    expect(viewOf(known, arabic).title).not.toContain("25");
  });
});

describe("a payment that is processing or over", () => {
  test.each([
    ["completed", "25000000", "25.00", "$25.00 arrived. Thank you."],
    ["confirmed", "27500000", "27.50", /^\$27.50 arrived. Thank you. That is more than was due/],
    ["failed", "22500000", "22.50", /^\$22.50 arrived, which is not enough. Do not send the rest/],
    ["failed", "25000000", "25.00", /^The shop has been notified and can help/],
    ["failed", "27500000", "27.50", /^The shop has been notified and can help/],
    ["expired", "25000000", "25.00", /^\$25.00 arrived too late/],
  ])("is judged by the units that arrived: %s with %s", (status, units, usd, outcome) => {
    const view = knowing({ payment: { ...payment, status, ...received(units, usd) } });
    expect(view.outcome).toMatch(outcome);
    expect(view.received).toBe(`$${usd} in USDC on Base Sepolia`);
    expect(view.transfer).toBeUndefined();
  });

  test.each([
    ["expired", english.expiredHelp],
    ["cancelled", english.cancelledHelp],
    ["refunded", "Your refund is on its way. The shop can tell you more."],
    ["completed", "Thank you."],
  ])("names no amount without a receipt: %s", (status, outcome) => {
    expect(knowing({ payment: { ...payment, status } }).outcome).toBe(outcome);
  });

  test("shows its outcome although one of its quotes is null", () => {
    const receipt = { settledAmountAsset: "25000000", settledAmountUsd: "25.00" };
    const paid: Payment = { ...payment, status: "completed", quotes: [null as never], receipt };
    expect(knowing({ payment: paid }).outcome).toBe("$25.00 arrived. Thank you.");
  });

  test("shows its outcome although a used quote has no token", () => {
    const { token } = quote;
    const { receipt } = received("27500000", "27.50");
    const settled = {
      ...receipt,
      selectedQuote: null,
      settledToken: token,
      settledChain: token.chain ?? null,
    };
    const used = { ...quote, status: "used" };
    const quotes = [{ ...used, token: null as never }, used];
    const view = knowing({
      payment: { ...payment, status: "completed", receipt: settled, quotes },
    });
    expect(view.outcome).toMatch(/^\$27.50 arrived. Thank you. That is more than was due/);
  });

  test("shows its confirmations, counted if the service counts them", () => {
    const processing = { ...payment, status: "processing" };
    const counted = { ...processing, receipt: { confirmations: 4, requiredConfirmations: 10 } };
    expect(knowing({ payment: counted }).confirmations).toEqual({
      text: "4 of 10 confirmations",
      value: 4,
      max: 10,
    });
    expect(knowing({ payment: processing }).confirmations).toEqual({
      text: "The network is confirming the payment",
    });
  });

  test("shows an unknown status in words", () => {
    const view = knowing({ payment: { ...payment, status: "under_\u202Ereview" } });
    expect(view).toMatchObject({ phase: "other", status: "The payment is under_review" });
    // Whether any money was seen is unknown.
    expect(view).toMatchObject({ confirmations: undefined, stepsDone: undefined });
  });
});

describe("a transfer that a wallet has sent", () => {
  const [choice] = choicesOf([quote]);
  if (!choice) throw new Error("The quote offers a choice.");
  const sent = ["0x1", "0x2"].map((hash) => ({ wallet: "Anvil", choice, hash }));

  test("hides the payment details until the customer confirms paying again", () => {
    const known = { ...offered(), sent };
    const waiting = { phase: "sent", status: "Payment sent", transfer: undefined };
    expect(viewOf(known, texts)).toMatchObject(waiting);
    expect(viewOf({ ...known, payingAgain: "warned" }, texts)).toMatchObject({
      ...waiting,
      wallet: { isBad: true, actions: ["keepWaiting", "payAgain"] },
    });
    expect(viewOf({ ...known, payingAgain: "sure" }, texts)).toMatchObject({
      phase: "pay",
      transfer: { amount: "25" },
      notice: expect.stringContaining("Anvil has already sent this payment."),
    });
  });

  test.each(["notSetUp", "notAccessible", "notFound", "unavailable"] as const)(
    "is named to a customer whose payment cannot be shown: %s",
    (kind) => {
      const { status, notice } = knowing({ problem: { kind, code: "HTTP 403" }, sent });
      expect(notice).toMatch(/^Anvil has already sent this payment/);
      expect(status).not.toContain("charged");
    },
  );

  test("is not called cancelled if it is detected before the wallet says that it was sent", () => {
    const wallet = { wallet: "Anvil", choice, step: "sending", withdrawn: "cancelled" } as const;
    const view = knowing({ payment: { ...payment, status: "processing" }, wallet });
    expect(view.wallet?.text).toMatch(/^Reject the request in Anvil if it is still open/);
  });

  test.each([
    ["pending", {}],
    ["processing", {}],
    ["expired", {}],
    ["completed", received("25000000", "25.00")],
  ])("has its hash on the page, like all others: %s", (status, of) => {
    const { transaction } = knowing({ payment: { ...payment, status, ...of }, sent });
    expect(transaction).toContain("0x1\n0x2");
  });

  test.each(["expired", "cancelled"])(
    "is not reported as money that never arrived: %s",
    (status) => {
      const { outcome } = knowing({ payment: { ...payment, status }, sent });
      expect(outcome).toMatch(
        /^Your transfer was sent, but did not arrive in time. Do not pay again/,
      );
    },
  );
});

test("every wallet that may have paid is named above the address, whatever another wallet does", () => {
  const known = offered();
  const [{ choice } = { choice: undefined }] = [known.offer];
  if (!choice) throw new Error("The quote offers a choice.");
  const doubted = ["Anvil", "Rabby"].map((wallet) => ({ wallet, choice }));
  const rejected = { wallet: "Frame", choice, step: "failed", failure: "wallet_rejected" } as const;
  const { notice, wallet: line } = viewOf({ ...known, doubted, wallet: rejected }, texts);
  expect(notice).toMatch(/unclear whether Anvil sent .* unclear whether Rabby sent/);
  expect(line?.text).toContain("You rejected the request in Frame.");
  // Not twice while the wallet's own line says it.
  const lost = { ...rejected, wallet: "Rabby", failure: "wallet_outcome_unknown" } as const;
  const after = viewOf({ ...known, doubted, wallet: lost }, texts);
  expect(after.notice).toMatch(/Anvil(?!.*Rabby)/);
  expect(after.wallet?.text).toContain("unclear whether Rabby sent");
  // Where the payment cannot be shown, neither can the wallet's own line.
  const problem = { kind: "notAccessible", code: "HTTP 403" } as const;
  const hidden = viewOf({ ...known, doubted, wallet: lost, problem }, texts);
  expect(hidden.wallet).toBeUndefined();
  expect(hidden.notice).toMatch(/unclear whether Anvil sent .* unclear whether Rabby sent/);
});

describe("the choices", () => {
  const other = (chainId: number, symbol: string, contractAddress: string): Quote => ({
    ...quote,
    chainId,
    token: {
      ...quote.token,
      symbol,
      contractAddress,
      chain: { ...quote.token.chain, name: "Base" } as never,
    },
  });
  const contract = (digit: string) => `0x${digit.repeat(40)}`;

  test("show each token once, and the networks of the chosen one", () => {
    const quotes = [
      other(1, "USDC", contract("1")),
      other(10, "USDC", contract("2")),
      other(1, "DAI", contract("3")),
    ];
    const choices = choicesOf(quotes);
    const view = knowing({ payment, choices, choice: choices[1] });
    expect(view.tokens.map(({ label, isChosen }) => [label, isChosen])).toEqual([
      ["USDC", true],
      ["DAI", false],
    ]);
    expect(view.networks.map(({ label, isChosen }) => [label, isChosen])).toEqual([
      ["Ethereum", false],
      ["Optimism", true],
    ]);
  });

  test("show a known chain by its own name, whatever the service calls it", () => {
    expect(choicesOf([other(1, "USDC", contract("1"))])[0]?.network).toBe("Ethereum");
    expect(choicesOf([other(777, "USDC", contract("1"))])[0]?.network).toBe("Base");
  });

  test("distinguish two tokens with the same name on one network", () => {
    const choices = choicesOf([other(1, "USDC", contract("1")), other(1, "USDC", contract("2"))]);
    const { networks } = knowing({ payment, choices, choice: choices[0] });
    expect(new Set(networks.map(({ label }) => label)).size).toBe(2);
  });

  test("leave out chains that have no EVM address, quotes without a token, and null", () => {
    const solana = { ...quote, chainId: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" } as const;
    expect(choicesOf([solana, { ...quote, token: null as never }, null as never])).toEqual([]);
  });
});
