import { describe, expect, test } from "vitest";
import { attributeNames, misspelt, propertyNames } from "../../../src/checkout/element/names.ts";

const names = (kind: "attribute" | "property", given: string[]) =>
  misspelt(kind, given, kind === "attribute" ? attributeNames : propertyNames).map(
    ({ param, message }) => [param, message.match(/Did you mean (.*)\?/)?.[1]],
  );

describe("names on the element", () => {
  test("that nearly match one of its own are reported", () => {
    const given = ["paymentid", "payment_id", "baseurl", "base", "secrets", "enviroment", "them"];
    expect(names("attribute", given)).toEqual([
      ["paymentid", "payment-id"],
      ["payment_id", "payment-id"],
      ["baseurl", "base-url"],
      ["base", "base-url"],
      ["secrets", "secret"],
      ["enviroment", "environment"],
      ["them", "theme"],
    ]);
    expect(names("property", ["baseURL", "message", "rpcUrl"])).toEqual([
      ["baseURL", "baseUrl"],
      ["message", "messages"],
      ["rpcUrl", "rpcUrls"],
    ]);
  });

  test("from HTML and from frameworks are ignored", () => {
    const html = (
      "accesskey autocapitalize autofocus class contenteditable dir draggable enterkeyhint exportparts hidden id inert " +
      "inputmode is itemid itemprop itemref itemscope itemtype lang nonce part popover role slot spellcheck style tabindex " +
      "title translate virtualkeyboardpolicy writingsuggestions aria-label aria-busy data-testid onclick"
    ).split(" ");
    expect(names("attribute", [...html, "v-cloak", "_ngcontent-abc", "data-v-1a2b"])).toEqual([]);
    const expandos = ["__reactFiber$1a", "__reactProps$1a", "_vei", "__vnode", "__ngContext__"];
    expect(names("property", expandos)).toEqual([]);
  });
});
