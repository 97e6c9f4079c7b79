import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create } from "../merchant.ts";

const redirectUrl = "https://shop.example/done?order=1%202&x=+#thanks";

/** The URL that the payment page leads to once the payment is paid. */
async function returnUrlOf(
  fields: Record<string, unknown>,
  sandbox = createSandbox(),
): Promise<URL | undefined> {
  const { paymentUrl } = await create(sandbox, fields);
  const page = await (await sandbox.fetch(new Request(paymentUrl))).text();
  const [, href] = / return-url="([^"]*)"/.exec(page) ?? [];
  if (href === undefined) return undefined;
  return new URL(href.replaceAll("&amp;", "&"));
}

describe("after the payment, the customer", () => {
  it("returns to redirectUrl as it was written when there is nothing to add", async () => {
    expect((await returnUrlOf({ redirectUrl }))?.href).toBe(redirectUrl);
  });

  it("brings customMetadata back, next to redirectUrl's own query", async () => {
    const customMetadata = JSON.stringify({ cart: "a&b=c#d", note: "ü\"<script>'" });
    const url = await returnUrlOf({ redirectUrl, customMetadata });
    expect(url?.searchParams.get("customMetadata")).toBe(customMetadata);
    expect(url?.href.startsWith("https://shop.example/done?order=1%202&x=+&customMetadata=")).toBe(
      true,
    );
    expect(url?.hash).toBe("#thanks");
  });

  it("brings customerRefId back from a deposit, but not from a payment", async () => {
    const fields = { redirectUrl: "https://shop.example", customerRefId: "customer 7" };
    expect((await returnUrlOf({ ...fields, type: "deposit" }))?.href).toBe(
      "https://shop.example/?customerRefId=customer%207",
    );
    expect((await returnUrlOf(fields))?.href).toBe("https://shop.example/");
  });

  it("brings back metadata that cuts a character in half, with a replacement character", async () => {
    const url = await returnUrlOf({ redirectUrl, customMetadata: '"\ud83d"' });
    expect(url?.searchParams.get("customMetadata")).toBe('"\ufffd"');
  });

  it("brings back the query parameters that the newest description takes as metadata", async () => {
    const sandbox = createSandbox({ dialect: "published" });
    const fields = { redirectUrl, customMetadata: "cart=7&note=ü#" };
    const url = await returnUrlOf(fields, sandbox);
    expect(url?.href).toBe(
      "https://shop.example/done?order=1%202&x=+&cart=7&note=%C3%BC%23#thanks",
    );
  });

  it("returns to an app through its URL scheme", async () => {
    const url = await returnUrlOf({ redirectUrl: "myapp://paid/7", customMetadata: "{}" });
    expect(url?.href).toBe("myapp://paid/7?customMetadata=%7B%7D");
  });

  it("stays on the page without a redirectUrl", async () => {
    expect(await returnUrlOf({ customMetadata: "{}" })).toBeUndefined();
  });

  it("gets the extended URL from the page only: the payment keeps redirectUrl as given", async () => {
    const { payment } = await create(createSandbox(), { redirectUrl, customMetadata: "{}" });
    expect(payment.redirectUrl).toBe(redirectUrl);
    expect(payment).not.toHaveProperty("customMetadata");
  });
});
