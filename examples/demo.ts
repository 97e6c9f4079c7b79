// A shop, a sandbox in place of the payment service, and three customers: one pays the exact amount, one too
// little, one nothing. Run it with `npm run demo`.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ClientEvent, formatUnits, MerchantClient } from "settlekit";
import { createSandbox } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { createShop } from "./shop.ts";

const colours = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code: number, text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
const title = (text: string) => console.log(`\n${paint(1, text)}`);

/** Prints a line of the timeline: when, who, what. */
function say(who: "customer" | "shop" | "service", what: string): void {
  const elapsed = `${Math.round(performance.now())} ms`.padStart(8);
  console.log(`${paint(2, elapsed)}  ${who.padEnd(9)} ${what}`);
}

// The shop's port comes first, because the sandbox needs to know where to send webhooks.
const shop = createServer();
await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
const shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;

const sandbox = createSandbox({ webhookUrl: `${shopUrl}/webhooks` });
const service = await sandbox.listen({ port: 0 });

const handle = createShop({
  client: new MerchantClient({
    environment: "sandbox",
    baseUrl: service.url,
    secretKey: sandbox.secretKey,
    onEvent: sayCall,
  }),
  webhooks: new Webhooks({ secret: sandbox.webhookSecret }),
  log: (line) => say("shop", line),
});

shop.on("request", (request, response) => {
  if (request.url === "/webhooks") {
    const signature = String(request.headers["x-service-signature"]);
    say("service", `sends a webhook with the signature ${signature.slice(0, 12)}…`);
    response.on("finish", () => say("shop", `responds to the webhook with ${response.statusCode}`));
  }
  void handle(request, response);
});

/** Prints the shop's calls to the service, as its client reports them. */
function sayCall(event: ClientEvent): void {
  if (event.type !== "end") return;
  const answer = event.ok ? event.status : event.error;
  say("shop", `calls ${event.operation}: ${answer} after ${event.durationMs.toFixed(1)} ms`);
}

/** Places an order, lets `happen` act on its payment, and returns the order's state. */
async function buy(cents: number, happen: (paymentId: string) => Promise<void>): Promise<string> {
  say("customer", `buys for ${(cents / 100).toFixed(2)} USD`);
  const url = `${shopUrl}/orders?cents=${cents}`;
  const { status, headers } = await fetch(url, { method: "POST", redirect: "manual" });
  const paymentUrl = headers.get("location") ?? "";
  // Only the path: the URL of a payment page can contain the payment's secret.
  say("customer", `is redirected to the payment page (${status}): ${new URL(paymentUrl).pathname}`);
  await sandbox.webhooks.idle();

  await happen(paymentUrl.split("/").at(-1) ?? "");
  await sandbox.webhooks.idle();

  const order = await fetch(`${shopUrl}/orders/${headers.get("x-order-id")}`);
  return ((await order.json()) as { state: string }).state;
}

/** Plays a scenario, and prints what the customer sent. */
async function pay(paymentId: string, scenario: "success" | "underpayment"): Promise<void> {
  const { receipt, status } = await sandbox.payments.simulate(paymentId, scenario);
  const { settledAmountAsset, settledToken, settledChain } = receipt ?? {};
  const amount = formatUnits(settledAmountAsset ?? "0", settledToken?.decimals ?? 0);
  const money = `${amount} ${settledToken?.symbol} on ${settledChain?.name}`;
  say("customer", `sends ${money}; the payment is ${status}`);
}

const wrong: string[] = [];
async function scene(name: string, expected: string, play: () => Promise<string>): Promise<void> {
  title(name);
  const state = await play();
  const isRight = state === expected;
  console.log(
    paint(isRight ? 32 : 31, `${" ".repeat(10)}${isRight ? "✓" : "✗"} the order is ${state}`),
  );
  if (!isRight) wrong.push(`${name}: the order is "${state}" but should be "${expected}".`);
}

title("A shop, three customers, and the payment service on this machine");
say("service", `is settlekit's sandbox at ${service.url}`);
say("shop", `is examples/shop.ts at ${shopUrl}`);

await scene("1. Paid exactly", "paid", () => buy(2500, (id) => pay(id, "success")));

await scene("2. Paid too little", "not paid", () => buy(4900, (id) => pay(id, "underpayment")));

await scene("3. Never paid", "not paid", () =>
  buy(1000, async () => {
    say("customer", "walks away; 15 minutes pass on the sandbox's clock");
    await sandbox.clock.advance("15m");
  }),
);

await service.close();
shop.closeAllConnections();
shop.close();
title(wrong.length === 0 ? "All three orders are in the expected state." : wrong.join("\n"));
process.exitCode = wrong.length === 0 ? 0 : 1;
