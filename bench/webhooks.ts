/**
 * What verifying a webhook costs over its floor: the bare HMAC, comparison and JSON.parse.
 *
 * Run with `node bench/webhooks.ts`. All cases take turns within each round, so that a busy machine
 * slows them alike; compare the ratios, not the times.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { signWebhook, Webhooks } from "../src/webhooks/index.ts";

const rounds = 41;
const callsPerRound = 4000;
const secret = "whsec_0123456789abcdef0123456789abcdef";
const timestamp = 1_700_000_000;
const event = {
  event: "payment.updated",
  data: {
    id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    type: "payment",
    merchantId: "0d1f6a52-2a3c-4a57-9a35-6d1f0e3b7a11",
    amountInCents: 2500,
    amountDueCents: 0,
    currency: "USD",
    status: "completed",
    orderId: "order_2024_000123",
    createdAt: "2024-01-01T00:00:00.000Z",
    note: "n".repeat(247),
  },
} as const;

const signed = signWebhook({ event, secret, timestamp });
const body = Buffer.from(signed.body);
const signatureText = signed.headers["X-Service-Signature"] ?? "";
// The headers of a delivery as node:http gives them.
const headers = {
  host: "shop.example",
  "user-agent": "webhooks/1.0",
  accept: "*/*",
  "accept-encoding": "gzip, br",
  "content-type": "application/json",
  "content-length": String(body.length),
  "x-forwarded-for": "203.0.113.7",
  "x-forwarded-proto": "https",
  "x-service-signature": signatureText,
  "x-service-timestamp": String(timestamp),
  "x-service-id": "we_1",
  "x-service-event-id": "evt_1",
  "x-service-delivery-id": "del_1",
};

const now = () => new Date(timestamp * 1000);
const webhooks = new Webhooks({ secret, now });
const rotating = new Webhooks({ secret: ["whsec_the_new_one", secret], now });

const cases = {
  "floor: createHmac, timingSafeEqual, JSON.parse": () => {
    const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
    if (!timingSafeEqual(digest, Buffer.from(signatureText, "hex"))) throw new Error("mismatch");
    return JSON.parse(body.toString());
  },
  "verifySync, bytes": () => webhooks.verifySync({ body, headers }),
  "verifySync, text": () => webhooks.verifySync({ body: signed.body, headers }),
  "verifySync, bytes, two secrets": () => rotating.verifySync({ body, headers }),
  "verifySync, bytes, and deliveryKey": () => webhooks.verifySync({ body, headers }).deliveryKey,
};

type Case = keyof typeof cases;
const names = Object.keys(cases) as Case[];
const timesNs = new Map<Case, number[]>(names.map((name) => [name, []]));

for (let round = 0; round < rounds; round++) {
  for (const name of names) {
    const run = cases[name];
    const start = process.hrtime.bigint();
    for (let call = 0; call < callsPerRound; call++) run();
    timesNs.get(name)?.push(Number(process.hrtime.bigint() - start) / callsPerRound);
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const medians = names.map((name) => ({ name, ns: median(timesNs.get(name) ?? []) }));
const floorNs = medians[0]?.ns ?? Number.NaN;

console.log(`${body.length}-byte body, medians of ${rounds} interleaved rounds`);
for (const { name, ns } of medians) {
  const ratio = (ns / floorNs).toFixed(2);
  console.log(`${name.padEnd(48)} ${(ns / 1000).toFixed(2).padStart(6)} us  ${ratio} x floor`);
}
