import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create, newYear, origin, paymentsPath, read, send } from "../merchant.ts";

const browser = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

async function page(sandbox: Sandbox, path: string): Promise<string> {
  const response = await sandbox.fetch(new Request(origin + path, { headers: browser }));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(response.headers.get("cache-control")).toBe("no-store");
  return response.text();
}

describe("the inspector", () => {
  it("is where the root redirects browsers; programs get 404", async () => {
    const sandbox = createSandbox();
    const sent = await sandbox.fetch(new Request(`${origin}/`, { headers: browser }));
    expect([sent.status, sent.headers.get("location")]).toEqual([302, "/_sandbox"]);
    const answer = await sandbox.fetch(new Request(`${origin}/`));
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: "unknown_route" } });
  });

  it("opens with a trailing slash as well, and so does a payment page", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    expect(await page(sandbox, "/_sandbox/")).toContain(paymentId);
    expect(await page(sandbox, `/payment/${paymentId}/`)).toContain(paymentId);
  });

  it("shows no secrets from requests or answers", async () => {
    const sandbox = createSandbox({ deliver: () => new Response() });
    const { paymentId, secret } = await create(sandbox);
    await send(sandbox, `${paymentsPath}?search=${sandbox.secretKey}`);
    await send(sandbox, `${paymentsPath}/${paymentId}`, {
      headers: { Authorization: `Bearer ${sandbox.accessToken}`, "X-Trace": secret },
    });
    await send(sandbox, `/payment?paymentId=${paymentId}&secret=another_form&a=1`);
    await send(sandbox, paymentsPath, {
      body: { amount: 2500, orderId: "url", redirectUrl: "https://a.example/?secret=another_form" },
    });
    await sandbox.webhooks.idle();
    const { length } = (await page(sandbox, "/_sandbox")).match(/id="entry-/g) ?? [];
    const paths = Array.from({ length }, (_, index) => `/_sandbox/entries/${index + 1}`);
    for (const path of ["/_sandbox", ...paths]) {
      const text = await page(sandbox, path);
      const { secretKey, webhookSecret, accessToken } = sandbox;
      for (const hidden of [secret, "another_form", secretKey, webhookSecret, accessToken]) {
        expect(text).not.toContain(hidden);
      }
    }
    expect(length).toBeGreaterThan(5);
  });

  it("names the order of webhooks and attempts, because readers do not recognise delivery ids", async () => {
    const sandbox = createSandbox({ deliver: () => new Response() });
    await create(sandbox, { orderId: "<order>" });
    await sandbox.webhooks.idle();
    const text = await page(sandbox, "/_sandbox?show=webhooks");
    const named = '<code>payment.created</code> <bdi class="quiet">&lt;order&gt;</bdi>';
    expect(text.split(named).length - 1).toBe(2);
  });

  it("names the order of a confirmation, and the payment of expired quotes", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox, { orderId: "order_7" });
    await sandbox.payments.simulate(paymentId, "success", { steps: "by-hand" });
    for (const _ of [1, 2]) await sandbox.payments.step(paymentId);
    expect(await page(sandbox, "/_sandbox")).toContain(
      '4 of 10 confirmations <bdi class="quiet">order_7</bdi>',
    );
    await create(sandbox);
    await sandbox.clock.advance("11m");
    expect(await page(sandbox, "/_sandbox")).toMatch(/6 quotes of <code>\w{8}…<\/code> expired/);
  });

  it("offers the payment page's scenarios, with the same names in the same order, plus Cancel", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const [ofInspector, ofPage] = await Promise.all(
      ["/_sandbox", `/payment/${paymentId}`].map(async (path) =>
        [...(await page(sandbox, path)).matchAll(/\/simulate"[^>]*>([^<]+)/g)].map(([, it]) => it),
      ),
    );
    expect(ofInspector).toEqual(ofPage?.concat("Cancel"));
    expect(ofPage).toHaveLength(5);
  });

  it("says why a webhook was never sent, and offers a replay only when one is possible", async () => {
    const texts = [];
    for (const deliver of [undefined, () => new Response()]) {
      const sandbox = createSandbox({ deliver });
      await create(sandbox);
      await sandbox.webhooks.idle();
      texts.push(await page(sandbox, "/_sandbox/entries/3"));
    }
    const [recorded, sent] = texts.map((text) => [
      text.includes("Recorded, but not sent: the merchant has no webhook URL"),
      text.includes("/replay"),
    ]);
    expect([recorded, sent]).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("offers no curl command for a truncated body", async () => {
    const sandbox = createSandbox();
    for (const length of [1, 9_000]) {
      await send(sandbox, paymentsPath, { body: { padding: "x".repeat(length) } });
    }
    expect(await page(sandbox, "/_sandbox/entries/1")).toContain("curl -X POST");
    const text = await page(sandbox, "/_sandbox/entries/2");
    expect(text).not.toContain("curl -X POST");
    expect(text).toContain("the body was not kept in full");
  });

  it("links to the entry pages of events that the timeline no longer shows", async () => {
    const sandbox = createSandbox();
    await create(sandbox);
    expect(await page(sandbox, "/_sandbox/entries/2")).toContain('href="/_sandbox#entry-1"');
    for (let index = 0; index < 40; index++) await create(sandbox);
    expect(await page(sandbox, "/_sandbox")).not.toContain('id="entry-1"');
    expect(await page(sandbox, "/_sandbox/entries/2")).toContain('href="/_sandbox/entries/1"');
  });

  it("shows a read that met a fault next to equal reads, because the fault links to it", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    for (let index = 0; index < 3; index++) await read(sandbox, paymentId);
    sandbox.faults.next("GET /payments", { latencyMs: 0, when: "before" });
    for (let index = 0; index < 3; index++) await read(sandbox, paymentId);
    expect(await page(sandbox, "/_sandbox/entries/8")).toContain('href="/_sandbox#entry-7"');
    for (const path of ["/_sandbox", `/_sandbox?about=${paymentId}`]) {
      const shown = await page(sandbox, path);
      expect(shown.match(/× \d+/g)).toEqual(["× 2", "× 3"]);
      for (const sequence of [7, 8, 9]) expect(shown).toContain(`id="entry-${sequence}"`);
    }
  });

  it("shows the webhooks of one payment alone", async () => {
    const sandbox = createSandbox({ deliver: () => new Response() });
    const { paymentId } = await create(sandbox);
    await create(sandbox);
    await sandbox.webhooks.idle();
    const text = await page(sandbox, `/_sandbox?show=webhooks&about=${paymentId}`);
    expect(text.match(/id="entry-\d+"/g)).toHaveLength(2);
  });

  it("describes pending faults and disorder in words, with the delay that was asked for", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", { connection: "truncated" });
    sandbox.webhooks.disorder("delay", { by: "90s" });
    sandbox.webhooks.disorder("stale-timestamp", { by: "1h" });
    sandbox.webhooks.disorder("reorder");
    const text = await page(sandbox, "/_sandbox");
    expect(text).toContain('<code>any request</code><span class="badge bad">1 more</span>');
    expect(text).toContain("arrives 90 s late");
    expect(text).toContain("arrives with a timestamp 60 min old");
    expect(text).toContain("arrives after the next one, or 1 min late");
  });

  it("answers 404 for an unknown entry", async () => {
    for (const sequence of ["0", "01", "-1", "__proto__", "<script>"]) {
      const url = `${origin}/_sandbox/entries/${sequence}`;
      const response = await createSandbox().fetch(new Request(url, { headers: browser }));
      expect(response.status).toBe(404);
      expect(await response.text()).toContain("Page not found");
    }
  });

  it.each([
    "/_sandbox/paymnts",
    "/_sandbox/entries",
    "/_sandbox/a/b?c",
    "/payment",
    "/payment/a/b",
  ])(
    "leads browsers from %s to the inspector; programs get the service's envelope",
    async (path) => {
      const sandbox = createSandbox();
      const shown = await sandbox.fetch(new Request(origin + path, { headers: browser }));
      expect([shown.status, shown.headers.get("x-frame-options")]).toEqual([404, "DENY"]);
      expect(await shown.text()).toContain('<a href="/_sandbox">');
      const answered = await sandbox.fetch(new Request(origin + path));
      expect(await answered.json()).toMatchObject({ error: { code: "unknown_route" } });
    },
  );

  it("tells browsers, too, that a control route takes POST only", async () => {
    const request = new Request(`${origin}/_sandbox/reset`, { headers: browser });
    const response = await createSandbox().fetch(request);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  it("accepts any filter without injecting it into the page", async () => {
    const sandbox = createSandbox();
    await create(sandbox);
    const hostile = encodeURIComponent('"><script>alert(1)</script>');
    const text = await page(sandbox, `/_sandbox?show=${hostile}&about=${hostile}`);
    expect(text).not.toContain("<script>alert");
    expect(text).toContain("No event matches this filter yet.");
  });

  it("counts the items dropped to save memory", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    for (let index = 0; index < 2_010; index++) await read(sandbox, paymentId);
    const text = await page(sandbox, "/_sandbox");
    expect(text).toContain("Dropped to save memory: 13 older events, 1011 older request details.");
    expect(text).toContain("× 2000");
  });

  it("stays small with many entries, because details are fetched one by one", async () => {
    const sandbox = createSandbox({ deliver: () => new Response() });
    for (let index = 0; index < 50; index++) await create(sandbox);
    await sandbox.webhooks.idle();
    expect((await page(sandbox, "/_sandbox")).length).toBeLessThan(120_000);
  });
});
