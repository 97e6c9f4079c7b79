import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAddress, toChecksumAddress, toRecipientAddress } from "../../src/evm/address.ts";
import { isNativeAssetAddress } from "../../src/evm/chains.ts";
import { anyAddress } from "./arbitraries.ts";
import { thrownBy } from "./thrown-by.ts";

const zero = `0x${"0".repeat(40)}`;
const placeholders = [
  zero,
  `0x${"e".repeat(40)}`,
  `0x${"E".repeat(40)}`,
  toChecksumAddress(`0x${"e".repeat(40)}`),
];

describe("a recipient address", () => {
  it("is returned in its checksum form", () => {
    fc.assert(
      fc.property(
        anyAddress.filter((address) => !isNativeAssetAddress(address)),
        (address) => {
          expect(toRecipientAddress(address)).toBe(toChecksumAddress(address));
        },
      ),
    );
  });

  it.each(placeholders)("cannot be the placeholder %s, although that is an address", (address) => {
    expect(isAddress(address)).toBe(true);
    expect(thrownBy(() => toRecipientAddress(address))).toMatchObject({
      code: "invalid_address",
      param: "recipientAddress",
      message: expect.stringMatching(/lost.*Pass the address of the account/),
    });
  });

  it("is refused under its field's name if it is not an address", () => {
    const error = thrownBy(() => toRecipientAddress("0x1", "payTo"));
    expect(error).toMatchObject({ code: "invalid_address", param: "payTo" });
  });

  it("with a wrong checksum is refused as mistyped", () => {
    const mistyped = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD";
    expect(thrownBy(() => toRecipientAddress(mistyped)).message).toContain("checksum");
  });
});
