import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidRequestError } from "../../src/errors.ts";
import { isAddress, toChecksumAddress } from "../../src/evm/address.ts";
import { anyAddress } from "./arbitraries.ts";
import { thrownBy } from "./thrown-by.ts";

// Every test case that EIP-55 lists.
const eip55 = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

const malformed: [string, unknown][] = [
  ["an empty string", ""],
  ["the prefix alone", "0x"],
  ["39 digits", `0x${"1".repeat(39)}`],
  ["41 digits", `0x${"1".repeat(41)}`],
  ["a private key's 64 digits", `0x${"1".repeat(64)}`],
  ["no prefix", "1".repeat(42)],
  ["an upper-case prefix", `0X${"1".repeat(40)}`],
  ["a letter beyond f", `0x${"1".repeat(39)}g`],
  ["a leading space", ` 0x${"1".repeat(40)}`],
  ["a trailing line feed", `0x${"1".repeat(40)}\n`],
  ["full-width digits", `0x${"１".repeat(40)}`],
  ["a name", "alice.eth"],
  ["a number", 1],
  ["a bigint", 1n],
  ["null", null],
  ["undefined", undefined],
  ["an object that reads as an address", { toString: () => eip55[0] }],
  ["an array that reads as an address", [eip55[0]]],
];

const flipped = (address: string, index: number): string => {
  const character = address.charAt(index);
  const other =
    character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
  return address.slice(0, index) + other + address.slice(index + 1);
};
const isOneCase = (address: string): boolean => {
  const digits = address.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase();
};

describe("a checksum address", () => {
  it.each(eip55)("%s from EIP-55 results from its lower and upper case", (address) => {
    expect(toChecksumAddress(address)).toBe(address);
    expect(toChecksumAddress(address.toLowerCase())).toBe(address);
    expect(toChecksumAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address);
    expect(isAddress(address)).toBe(true);
  });

  it("keeps the address and is its own checksum address", () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const result = toChecksumAddress(address);
        expect(result.toLowerCase()).toBe(address);
        expect(toChecksumAddress(result)).toBe(result);
        expect(isAddress(result)).toBe(true);
      }),
    );
  });

  it("is invalid with any one letter in the other case, unless that leaves a single case", () => {
    let refusals = 0;
    fc.assert(
      fc.property(anyAddress, (address) => {
        const valid = toChecksumAddress(address);
        for (let index = 2; index < valid.length; index++) {
          const changed = flipped(valid, index);
          if (changed === valid || isOneCase(changed)) continue;
          expect(isAddress(changed)).toBe(false);
          expect(() => toChecksumAddress(changed)).toThrow(InvalidRequestError);
          refusals++;
        }
      }),
    );
    expect(refusals).toBeGreaterThan(500);
  });
});

describe("a value that is not an address", () => {
  it.each(malformed)("is refused: %s", (_name, value) => {
    expect(isAddress(value)).toBe(false);
    const error = thrownBy(() => toChecksumAddress(value as string));
    expect(error).toMatchObject({ code: "invalid_address", param: "address", outcome: "not_sent" });
    expect(error).not.toHaveProperty("status");
  });

  it("is reported under the field that it was given for", () => {
    const error = thrownBy(() => toChecksumAddress("0x12", "recipientAddress"));
    expect(error.param).toBe("recipientAddress");
    expect(error.message).toMatch(/^recipientAddress must be 0x followed by 40 .* 2 characters/);
  });

  it("is not repeated by the error, because it may be a private key", () => {
    const privateKey = `0x${"4c0883a69102937d".repeat(4)}`;
    const error = thrownBy(() => toChecksumAddress(privateKey));
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain("4c0883a6");
  });

  it("is distinguished from a wrong checksum", () => {
    const wrong = flipped("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", 41);
    expect(thrownBy(() => toChecksumAddress(wrong)).message).toMatch(/checksum.*Copy it again/);
  });

  it("never causes any other error", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(isAddress(value)).toBe(false);
        expect(thrownBy(() => toChecksumAddress(value as string)).code).toBe("invalid_address");
      }),
    );
  });
});
