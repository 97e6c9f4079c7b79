import { describe, expect, test } from "vitest";
import { english } from "../../../src/checkout/element/messages.ts";
import { choicesOf, nothingKnown, offerOf } from "../../../src/checkout/element/state.ts";
import { createTexts } from "../../../src/checkout/element/texts.ts";
import { viewOf } from "../../../src/checkout/element/view.ts";
import { paymentRequest } from "../../../src/checkout/payment-request.ts";
import type { Quote } from "../../../src/wire/quote.ts";
import { payment, quote } from "./facts.ts";

describe("a native asset, whose address differs between responses,", () => {
  const native = (digit: string): Quote => {
    const contractAddress = `0x${digit.repeat(40)}`;
    const asset = { symbol: "ETH", contractAddress, decimals: 18, assetType: "native" };
    return { ...quote, token: { ...quote.token, ...asset }, expectedAmountAsset: "1000" };
  };

  test("is one choice, and offered as the one that was requested", () => {
    const [asked, ...others] = choicesOf([native("e"), native("0")]);
    expect(others).toEqual([]);
    const quoted = native("0");
    const request = paymentRequest(payment, quoted, () => 0);
    expect(offerOf(request, quoted, asked)).toMatchObject({ choice: asked, quote: quoted });
  });

  test("is compared with the amount that its quote asked for", () => {
    const receipt = {
      settledAmountAsset: "1100",
      settledAmountUsd: "27.50",
      settledToken: native("e").token,
      settledChain: { chainId: quote.chainId },
    };
    const quotes: Quote[] = [{ ...native("0"), status: "used" }];
    const paid = { ...payment, status: "completed", quotes, receipt };
    const view = viewOf({ ...nothingKnown, payment: paid }, createTexts(english, "en-US"));
    expect(view.outcome).toMatch(/more than was due/);
  });
});

describe("an offer", () => {
  test.each([
    ["in another token", { token: { ...quote.token, contractAddress: `0x${"1".repeat(40)}` } }],
    ["with other decimals", { token: { ...quote.token, decimals: 18 } }],
    ["on another chain", { chainId: 1 }],
  ])("is refused if the service made it %s than requested", (_, changes) => {
    const [asked] = choicesOf([quote]);
    const quoted = { ...quote, ...changes };
    const request = paymentRequest(payment, quoted, () => 0);
    expect(() => offerOf(request, quoted, asked)).toThrow(/another token, on another chain/);
  });

  test("is refused if it has already expired", () => {
    const request = paymentRequest(payment, quote, () => Date.parse(quote.expiresAt));
    expect(() => offerOf(request, quote, undefined)).toThrow(/already expired/);
  });
});
