import { readFileSync } from "node:fs";
import fc from "fast-check";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { simulated } from "../../../src/sandbox/pages/payment-page.ts";
import { create, origin } from "../merchant.ts";

describe("the payment page", () => {
  it("opens at paymentUrl; the secret is in the page, not in the URL", async () => {
    const sandbox = createSandbox();
    const { paymentUrl, secret } = await create(sandbox);
    expect(paymentUrl).not.toContain(secret);
    const response = await sandbox.fetch(new Request(paymentUrl));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`secret="${secret}"`);
  });

  it("shows the same evidence for simulated behaviour as the guide", async () => {
    const sandbox = createSandbox();
    const { paymentUrl } = await create(sandbox);
    const text = await (await sandbox.fetch(new Request(paymentUrl))).text();
    const guide = readFileSync(new URL("../../../docs/sandbox.md", import.meta.url), "utf8");
    for (const [claim, evidence] of simulated) {
      expect(guide).toContain(`| ${claim} | ${evidence} |`);
      expect(text).toContain(`<span class="evidence ${evidence}">`);
      expect(text).toContain(claim.replace("'", "&#39;"));
    }
  });

  it("is not cached, sends no referrer, and runs only the sandbox's scripts", async () => {
    const sandbox = createSandbox();
    const { paymentUrl } = await create(sandbox);
    const { headers } = await sandbox.fetch(new Request(paymentUrl));
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
  });

  it("contains none of the merchant's secrets", async () => {
    const sandbox = createSandbox();
    const { paymentUrl } = await create(sandbox);
    const text = await (await sandbox.fetch(new Request(paymentUrl))).text();
    for (const foreign of [sandbox.secretKey, sandbox.webhookSecret, sandbox.accessToken]) {
      expect(text).not.toContain(foreign);
    }
  });

  it("answers 404 for an unknown payment", async () => {
    const response = await createSandbox().fetch(new Request(`${origin}/payment/<script>`));
    expect(response.status).toBe(404);
    const text = await response.text();
    expect(text).toContain("Payment not found");
    expect(text).not.toContain("<script>");
  });

  it("loads its script and style from the sandbox", async () => {
    const sandbox = createSandbox();
    const { paymentUrl } = await create(sandbox);
    const page = await (await sandbox.fetch(new Request(paymentUrl))).text();
    const assets = [...page.matchAll(/(?:src|href)="(\/_sandbox\/assets\/[^"]+)"/g)];
    const types = {
      "/_sandbox/assets/payment.css": "text/css; charset=utf-8",
      "/_sandbox/assets/payment.js": "text/javascript; charset=utf-8",
    };
    expect(assets.map(([, path]) => path)).toEqual(Object.keys(types));
    for (const [path, type] of Object.entries(types)) {
      const response = await sandbox.fetch(new Request(origin + path));
      expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
      expect((await response.text()).length).toBeGreaterThan(1_000);
    }
    const unknown = await sandbox.fetch(new Request(`${origin}/_sandbox/assets/other.js`));
    expect(unknown.status).toBe(404);
  });

  it("is not a service request: it is not recorded and meets no fault", async () => {
    const sandbox = createSandbox();
    const { paymentUrl } = await create(sandbox);
    sandbox.faults.next("*", { status: 503, when: "before" });
    expect((await sandbox.fetch(new Request(paymentUrl))).status).toBe(200);
    expect(sandbox.requests()).toHaveLength(1);
  });
});

describe("request data on the payment page", () => {
  it("is text, never markup", async () => {
    const sandbox = createSandbox();
    const characters = fc.constantFrom("<", ">", "&", '"', "'", "`", "a", ";", "#", "é");
    const decode = (text: string) =>
      text
        .replace(/&lt;/g, "<")
        .replace(/&gt;/g, ">")
        .replace(/&quot;/g, '"')
        .replace(/&#39;/g, "'")
        .replace(/&amp;/g, "&");
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: characters, minLength: 1 }), async (end) => {
        const redirectUrl = `https://shop.example/#${end}`;
        const { paymentUrl } = await create(sandbox, { redirectUrl });
        const text = await (await sandbox.fetch(new Request(paymentUrl))).text();
        const written = / return-url="([^<>"]*)"/.exec(text)?.[1] ?? "";
        expect(decode(written)).toBe(new URL(redirectUrl).href);
      }),
    );
  });
});
