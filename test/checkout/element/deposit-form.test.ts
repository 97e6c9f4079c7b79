import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { centsOf } from "../../../src/checkout/element/deposit-form.ts";
import { english } from "../../../src/checkout/element/messages.ts";
import { createTexts } from "../../../src/checkout/element/texts.ts";

const centsIn = (tag: string, text: string) => centsOf(text, createTexts(english, tag));

describe("the amount of a deposit", () => {
  test.each([
    ["25", 2500],
    ["25.5", 2550],
    ["25,50", 2550],
    ["25.", 2500],
    [".50", 50],
    [" $25 ", 2500],
    ["25 USD", 2500],
    ["1,000", 100_000],
    ["1,000.50", 100_050],
    ["1.000,50", 100_050],
    ["1 000", 100_000],
    ["1'000.50", 100_050],
    ["1.000.000", 100_000_000],
    ["1,000,000.00", 100_000_000],
    ["２５", 2500],
    ["٢٥٫٥٠", 2550],
    ["۲۵٫۵", 2550],
    ["२५", 2500],
  ])("is parsed as customers write it: %s", (text, cents) => {
    expect(centsIn("en", text)).toBe(cents);
  });

  test.each([
    ["", "0", ".", "0.00", "-25", "+25", "1e3", "0x10", "twenty-five", "€25", "$"],
    ["25.500", "1.000", "25 50", "1,00,0", "1,00.50", "1.000.50", "1,000 000", "1,,000", "0,100"],
    ["1,000,000.01", "10000001", "9".repeat(400), "25.50.", "2\n5"],
  ])("is refused when it is invalid, too large or ambiguous: %s, %s, …", (...texts) => {
    const taken = texts.filter((text) => centsIn("en", text) !== undefined);
    expect(taken).toEqual([]);
  });

  test("is parsed with the separators of the language", () => {
    const read = (text: string) => ["en", "de", "fr", "de-CH"].map((tag) => centsIn(tag, text));
    expect(read("1,000")).toEqual([100_000, undefined, undefined, undefined]);
    expect(read("1.000")).toEqual([undefined, 100_000, undefined, undefined]);
    expect(read("1\u202F000,50")).toEqual([100_050, 100_050, 100_050, 100_050]);
  });

  test("can be entered as the page prints it", () => {
    const tags =
      "en de fr fr-CA es es-MX pt pt-PT it ja zh-Hans ar ar-EG en-IN de-CH de-AT fa hi bn he";
    const someTag = fc.constantFrom(...tags.split(" "));
    fc.assert(
      fc.property(someTag, fc.integer({ min: 1, max: 100_000_000 }), (tag, cents) => {
        const texts = createTexts(english, tag);
        expect(centsOf(texts.money(cents, "USD"), texts)).toBe(cents);
      }),
      { numRuns: 500 },
    );
  });
});
