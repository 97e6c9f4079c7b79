import { describe, expect, test } from "vitest";
import { languageFor, loadMessages } from "../../../src/checkout/element/languages.ts";
import { english, type MessageName } from "../../../src/checkout/element/messages.ts";
import { createTexts, printable } from "../../../src/checkout/element/texts.ts";

const texts = createTexts(english, "en-US");

describe("texts from the service", () => {
  test("are shown without characters that reorder, hide or break their neighbours", () => {
    expect(printable("USD\u202E\u200BC\n\0")).toBe("USDC");
    expect(printable("x".repeat(100))).toBe(`${"x".repeat(40)}…`);
    expect(printable(null)).toBe("");
  });

  test("for a currency without a code appear next to the amount", () => {
    expect(texts.money(2500, "USD")).toBe("$25.00");
    expect(texts.money(2500, "dollars")).toBe("25.00 dollars");
  });
});

describe("languages", () => {
  test("that are written from right to left keep the order of names and currencies", async () => {
    const arabic = createTexts(await loadMessages("ar"), "ar");
    const usd = "\u200F25.00\u00A0\u2068US$\u2069";
    expect(arabic.money(2500, "USD")).toBe(usd);
    expect(arabic.money(2500, "US points")).toBe("25.00 \u2068US points\u2069");
    expect(arabic.say("toAddress", { network: "Base (C++)" })).toContain("\u2068Base (C++)\u2069");
  });

  test.each([
    ["de-AT", "de"],
    ["pt-BR", "pt"],
    ["zh-CN", "zh-Hans"],
    ["AR", "ar"],
    ["sv", "en"],
    ["", "en"],
  ])("%j is %s", (tag, language) => {
    expect(languageFor(tag)).toBe(language);
  });

  test.each(["de", "fr", "es", "pt", "it", "ja", "zh-Hans", "ar"] as const)(
    "%s translates every English text, with its placeholders",
    async (language) => {
      const messages = await loadMessages(language);
      const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
      for (const [name, text] of Object.entries(english) as [MessageName, string][]) {
        expect(placeholders(messages[name]), name).toEqual(placeholders(text));
        expect(messages[name].trim(), name).not.toBe("");
      }
      const same = Object.keys(english).filter(
        (name) => messages[name as MessageName] === english[name as MessageName],
      );
      expect(same.length).toBeLessThan(5);
      // An unknown status is not translated: no sentence of the language could contain it.
      expect(messages.otherStatus).toMatch(/[:：] ?\{status\}$/);
      // In French, a line break before these signs is prevented.
      expect(Object.values(messages).filter((text) => / [;:!?]/.test(text))).toEqual([]);
    },
  );
});
