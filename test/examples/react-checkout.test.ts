import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { signedDelivery } from "../../src/testing/index.ts";
import { chromiumPath, launchChromium } from "../browser/chromium.ts";
import { watchedPage } from "../browser/watched-page.ts";
import { freePort } from "../free-port.ts";
import { Example } from "./example.ts";

const example = new Example("react-checkout");
// Vite bundles the installed package, so only `npm run test:examples` can test this.
const isMissing = !example.isInstalled || chromiumPath === undefined;

it("the shop ships for a webhook that names only the order", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const sandbox = createSandbox();
  await using service = await sandbox.listen({ port: 0 });
  const secret = sandbox.webhookSecret;
  const shop = await example.run("start", {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: service.url,
    SETTLEKIT_SECRET_KEY: sandbox.secretKey,
    SETTLEKIT_WEBHOOK_SECRET: secret,
    PORT: new URL(url).port,
  });
  try {
    const orderId = `order_${randomUUID()}`;
    await shop.printed(/The shop is open/);
    const opened = await fetch(`${url}/payments/${orderId}`, { method: "POST" });
    const { paymentId } = (await opened.json()) as { paymentId: string };
    await sandbox.payments.simulate(paymentId, "success");
    const event = { event: "payment.updated", data: { status: "completed", orderId } } as const;
    const delivery = signedDelivery({ secret, event });
    expect((await fetch(delivery.request(`${url}/webhooks`))).status).toBe(200);
    expect(await shop.printed(/Ship (order_[0-9a-f-]+)\./)).toBe(orderId);
    // Not a file.
    expect((await fetch(`${url}/assets`)).status).toBe(404);
  } finally {
    await shop.stop("SIGKILL");
  }
});

it.skipIf(isMissing)("a page built by Vite takes a payment, and its shop ships", async () => {
  const build = await example.run("build");
  expect([await build.ended(), build.output]).toEqual([0, expect.anything()]);
  const url = `http://127.0.0.1:${await freePort()}`;
  const sandbox = createSandbox({ webhookUrl: `${url}/webhooks` });
  await using service = await sandbox.listen({ port: 0 });
  const shop = await example.run("start", {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: service.url,
    SETTLEKIT_SECRET_KEY: sandbox.secretKey,
    SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
    PORT: new URL(url).port,
  });
  const [browser] = await Promise.all([launchChromium(), shop.answers(url)]);
  try {
    const { page, troubles } = await watchedPage(browser);
    await page.goto(url);
    await page.getByText("25 USDC").waitFor();
    const [payment] = sandbox.payments.all();
    await sandbox.payments.simulate(payment?.id ?? "", "success");
    await page.getByText("Thank you. We will ship your mug").waitFor();
    await page.locator('[part="outcome"]').getByText("$25.00 arrived. Thank you.").waitFor();
    expect(await shop.printed(/Ship (order_[0-9a-f-]+)\./)).toBe(payment?.orderId);
    // The browser asks for an icon, which this shop does not have.
    expect(troubles.filter((text) => !text.includes("status of 404"))).toEqual([]);
  } finally {
    await browser.close();
    await shop.stop("SIGKILL");
  }
});
