/**
 * What verifying a webhook costs: over its floor, which is the bare HMAC, comparison and JSON.parse, and
 * beside other verifiers, each on the same body signed in its own scheme.
 *
 * Run with `npm run build && npm --prefix bench ci && npm --prefix bench run webhooks`. All cases take
 * turns within each of many short rounds, most of which a busy machine does not interrupt; compare the
 * ratios, not the times.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { verify as octokitVerify, sign } from "@octokit/webhooks-methods";
import * as standard from "standardwebhooks";
import Stripe from "stripe";
import * as svix from "svix";
import { signWebhook, Webhooks } from "../dist/webhooks.js";
import { importTimes } from "./import-times.ts";
import { type Cases, compare, type Medians, medians, printed } from "./medians.ts";

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const rounds = 601;

/** A payment event of about this many bytes. */
function bodyOf(bytes: number): string {
  const data = {
    id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    type: "payment",
    merchantId: "0d1f6a52-2a3c-4a57-9a35-6d1f0e3b7a11",
    amountInCents: 2500,
    amountDueCents: 0,
    currency: "USD",
    status: "completed",
    orderId: "order_2024_000123",
    createdAt: "2024-01-01T00:00:00.000Z",
  };
  const event = { id: "evt_1", object: "event", event: "payment.updated", data, note: "" };
  event.note = "n".repeat(Math.max(0, bytes - JSON.stringify(event).length));
  return JSON.stringify(event);
}

/** Headers of a delivery as node:http gives them. */
function received(body: string, own: Record<string, string>): Record<string, string> {
  return {
    host: "shop.example",
    "user-agent": "webhooks/1.0",
    accept: "*/*",
    "accept-encoding": "gzip, br",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "x-forwarded-for": "203.0.113.7",
    "x-forwarded-proto": "https",
    ...own,
  };
}

async function casesFor(bytes: number): Promise<Cases> {
  const text = bodyOf(bytes);
  const body = Buffer.from(text);

  const signed = signWebhook({ body: text, secret });
  const signature = signed.headers["X-Service-Signature"] ?? "";
  const timestamp = signed.headers["X-Service-Timestamp"] ?? "";
  const headers = received(text, {
    "x-service-signature": signature,
    "x-service-timestamp": timestamp,
    "x-service-id": "we_1",
    "x-service-event-id": "evt_1",
    "x-service-delivery-id": "del_1",
  });
  const webhooks = new Webhooks({ secret });
  const rotating = new Webhooks({ secret: ["whsec_the_new_one", secret] });

  const stripe = new Stripe("sk_test_1");
  const stripeHeader = stripe.webhooks.generateTestHeaderString({ payload: text, secret });

  const svixWebhook = new svix.Webhook(secret);
  const standardWebhook = new standard.Webhook(secret);
  const now = new Date();
  const svixHeaders = received(text, {
    "svix-id": "msg_1",
    "svix-timestamp": String(Math.floor(now.getTime() / 1000)),
    "svix-signature": svixWebhook.sign("msg_1", now, text),
  });
  const standardHeaders = received(text, {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": standardWebhook.sign("msg_1", now, text),
  });
  const octokitSignature = await sign(secret, text);

  return {
    floor: () => {
      const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
      if (!timingSafeEqual(digest, Buffer.from(signature, "hex"))) throw new Error("mismatch");
      return JSON.parse(body.toString());
    },
    "settlekit verifySync": () => webhooks.verifySync({ body, headers }),
    "settlekit verifySync, text": () => webhooks.verifySync({ body: text, headers }),
    "settlekit verifySync, two secrets": () => rotating.verifySync({ body, headers }),
    "settlekit verifySync, deliveryKey": () => webhooks.verifySync({ body, headers }).deliveryKey,
    "settlekit verify": () => webhooks.verify({ body, headers }),
    "stripe constructEvent": () => stripe.webhooks.constructEvent(body, stripeHeader, secret),
    "stripe constructEvent, text": () => stripe.webhooks.constructEvent(text, stripeHeader, secret),
    "stripe constructEventAsync": () =>
      stripe.webhooks.constructEventAsync(body, stripeHeader, secret),
    "svix verify": () => svixWebhook.verify(body, svixHeaders),
    "standardwebhooks verify": () => standardWebhook.verify(body, standardHeaders),
    "octokit verify, no timestamp, unparsed": () => octokitVerify(secret, text, octokitSignature),
  };
}

const results = new Map<number, Medians>();
for (const bytes of [512, 4096, 65_536]) {
  const callsPerRound = Math.round(200_000 / (bytes + 500));
  const result = await medians(await casesFor(bytes), { rounds, callsPerRound });
  results.set(bytes, result);
  console.log(
    `\n${bytes} bytes, medians of ${rounds} interleaved rounds of ${callsPerRound} calls`,
  );
  for (const line of printed(result)) console.log(line);
}

console.log("\nImporting, in a process of its own each time, medians");
const imports = importTimes(
  {
    nothing: "data:text/javascript,",
    "settlekit/webhooks": import.meta.resolve("../dist/webhooks.js"),
    standardwebhooks: import.meta.resolve("standardwebhooks"),
    svix: import.meta.resolve("svix"),
    "@octokit/webhooks-methods": import.meta.resolve("@octokit/webhooks-methods"),
    stripe: import.meta.resolve("stripe"),
  },
  { rounds: 25 },
);
for (const [name, ms] of Object.entries(imports)) {
  console.log(`${name.padEnd(40)} ${ms.toFixed(1).padStart(7)} ms`);
}

const at = (bytes: number) => compare(results.get(bytes) ?? {});
const targets: [what: string, value: number, limit: number][] = [
  ["512 B: verifySync / floor", at(512)("settlekit verifySync", "floor"), 1.25],
  ["512 B: verifySync / stripe", at(512)("settlekit verifySync", "stripe constructEvent"), 1],
  ["64 kB: verifySync / stripe", at(65_536)("settlekit verifySync", "stripe constructEvent"), 1.05],
  [
    "64 kB: verifySync / stripe, text",
    at(65_536)("settlekit verifySync, text", "stripe constructEvent, text"),
    1.05,
  ],
  ...[512, 4096, 65_536].flatMap((bytes): [string, number, number][] => [
    [`${bytes} B: verifySync / svix`, at(bytes)("settlekit verifySync", "svix verify"), 0.5],
    [
      `${bytes} B: verifySync / standardwebhooks`,
      at(bytes)("settlekit verifySync", "standardwebhooks verify"),
      0.5,
    ],
    [
      `${bytes} B: verify / stripe async`,
      at(bytes)("settlekit verify", "stripe constructEventAsync"),
      1,
    ],
  ]),
  [
    "import: settlekit/webhooks / standardwebhooks",
    compare(imports)("settlekit/webhooks", "standardwebhooks"),
    1,
  ],
];
console.log("\nTargets");
for (const [what, value, limit] of targets) {
  const verdict = value <= limit ? "holds" : "MISSED";
  if (value > limit) process.exitCode = 1;
  console.log(`${what.padEnd(48)} ${value.toFixed(2)}, at most ${limit.toFixed(2)}: ${verdict}`);
}
