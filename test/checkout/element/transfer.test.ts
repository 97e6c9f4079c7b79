import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { english } from "../../../src/checkout/element/messages.ts";
import { nothingKnown, offerOf } from "../../../src/checkout/element/state.ts";
import { createTexts } from "../../../src/checkout/element/texts.ts";
import { transactionFor } from "../../../src/checkout/element/transfer.ts";
import { viewOf } from "../../../src/checkout/element/view.ts";
import { paymentRequest } from "../../../src/checkout/payment-request.ts";
import { toChecksumAddress } from "../../../src/evm/address.ts";
import { formatUnits, parseUnits } from "../../../src/evm/units.ts";
import { payment, quote } from "./facts.ts";

const account = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const zero = "0x0000000000000000000000000000000000000000";

const address = fc
  .stringMatching(/^[0-9a-f]{40}$/)
  .filter((digits) => !/^(0{40}|e{40})$/.test(digits))
  .map((digits) => toChecksumAddress(`0x${digits}`));

const quotes = fc
  .record({
    units: fc.bigInt({ min: 1n, max: 2n ** 200n }),
    decimals: fc.integer({ min: 0, max: 30 }),
    chainId: fc.integer({ min: 1, max: 2 ** 40 }),
    isNative: fc.boolean(),
    contract: address,
    deposit: address,
  })
  .filter(({ contract, deposit }) => contract !== deposit);

describe("any quote", () => {
  test("has the same amount, to the unit, on the page, in the wallet's transfer and in the EIP-681 link", () => {
    fc.assert(
      fc.property(quotes, ({ units, decimals, chainId, isNative, contract, deposit }) => {
        const assetType = isNative ? "native" : "erc20";
        const contractAddress = isNative ? zero : contract;
        const token = { ...quote.token, assetType, contractAddress, decimals };
        const quoted = {
          ...quote,
          token,
          chainId,
          expectedAmountAsset: String(units),
          depositAddress: deposit,
        };
        const request = paymentRequest(payment, quoted, () => 0);
        const offer = offerOf(request, quoted, undefined);
        const known = {
          ...nothingKnown,
          payment,
          offer,
          choices: [offer.choice],
          choice: offer.choice,
        };
        const { transfer } = viewOf(known, createTexts(english, "ar-EG"));
        const { to, value, data = "", chainId: onChain } = transactionFor(offer, account);
        const [, recipient, amount] = /^0xa9059cbb0{24}(.{40})(.{64})$/.exec(data) ?? [];

        expect(transfer?.amount).toBe(formatUnits(units, decimals));
        expect(parseUnits(transfer?.amount ?? "", decimals)).toBe(units);
        expect(transfer?.address).toBe(deposit);
        expect(Number(onChain)).toBe(chainId);
        if (isNative) {
          expect([to, BigInt(value), data]).toEqual([deposit, units, ""]);
          expect(request.uri).toBe(`ethereum:${deposit}@${chainId}?value=${units}`);
        } else {
          expect([to, value]).toEqual([contract, "0x0"]);
          expect([`0x${recipient}`, BigInt(`0x${amount}`)]).toEqual([deposit.toLowerCase(), units]);
          expect(request.uri).toBe(
            `ethereum:${contract}@${chainId}/transfer?address=${deposit}&uint256=${units}`,
          );
        }
      }),
    );
  });
});
