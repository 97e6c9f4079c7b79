import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createPayment, createQuote, createWithdrawal } from "../../src/wire/operations.ts";
import { httpTo } from "./http-to.ts";

// What Deno itself does is tested by npm run test:runtimes.
describe("on Deno, whose fetch repeats requests by itself", () => {
  const inits: (RequestInit & { duplex?: string })[] = [];
  const fetch = async (_: string, init: RequestInit) => {
    inits.push(init);
    return Response.json({ id: "1", paymentId: "1", paymentUrl: "https://p.example", secret: "s" });
  };
  const body = { amount: 2500 };
  const http = (options = {}) => httpTo({ url: "https://api.example" }, options);

  beforeEach(() => {
    inits.length = 0;
    vi.stubGlobal("Deno", { version: { deno: "2.9.6" } });
    vi.stubGlobal("fetch", fetch);
  });
  afterEach(() => void vi.unstubAllGlobals());

  test.each([createPayment, createWithdrawal])(
    "$name has a stream as its body, which cannot be sent again",
    async (operation) => {
      await http().call<unknown>(operation, { body });
      const [init] = inits;
      expect(init?.body).toBeInstanceOf(ReadableStream);
      expect(init).toMatchObject({
        duplex: "half",
        headers: { "content-type": "application/json" },
      });
      expect(await new Response(init?.body).json()).toEqual(body);
    },
  );

  test("a request without a body has an empty stream", async () => {
    await http().call({ ...createWithdrawal, path: "/v1/cancel" }, {});
    expect(inits[0]?.body).toBeInstanceOf(ReadableStream);
    expect(await new Response(inits[0]?.body).text()).toBe("");
  });

  test("what may be repeated is sent as text, and so is what the merchant's own fetch gets", async () => {
    await http().call(createQuote, { path: { paymentId: "1" }, body });
    await http({ fetch }).call(createWithdrawal, { body });
    expect(inits.map((init) => init.body)).toEqual([JSON.stringify(body), JSON.stringify(body)]);
  });
});
