import { describe, expect, test } from "vitest";
import { sandboxFrom } from "../../src/cli/sandbox-options.ts";

describe("the merchants on the command line", () => {
  const [a, b] = [new URL("http://127.0.0.1:3000/a"), new URL("http://127.0.0.1:3000/b")];
  const urlsOf = async (values: Parameters<typeof sandboxFrom>[0]) =>
    (await sandboxFrom(values)).merchants.map(({ webhookUrl }) => webhookUrl);

  test("share a single --webhook-url", async () => {
    expect(await urlsOf({ webhookUrls: [a] })).toEqual([a.href]);
    expect(await urlsOf({ merchants: 2, webhookUrls: [a] })).toEqual([a.href, a.href]);
    expect(await urlsOf({ merchants: 2 })).toEqual([null, null]);
  });

  test("have one --webhook-url each, in order", async () => {
    expect(await urlsOf({ merchants: 2, webhookUrls: [a, b] })).toEqual([a.href, b.href]);
  });

  test.each([undefined, 1, 3])(
    "are refused with two URLs if there are %s of them",
    async (count) => {
      const refused = urlsOf({ merchants: count, webhookUrls: [a, b] });
      await expect(refused).rejects.toThrow("Pass --webhook-url once");
    },
  );
});
