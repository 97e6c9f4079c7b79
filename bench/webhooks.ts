/**
 * Verifying a webhook, compared with its floor (a bare HMAC, comparison and JSON.parse) and with other verifiers,
 * each on the same body signed in its own scheme.
 *
 * Run with `npm run build && node bench/webhooks.ts`. Turns are so short that other load interrupts few of them.
 * Compare the ratios, not the times.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { verify as octokitVerify, sign } from "@octokit/webhooks-methods";
import * as standard from "standardwebhooks";
import Stripe from "stripe";
import * as svix from "svix";
import { signWebhook, Webhooks } from "../dist/webhooks.js";
import { perCall, ratioOf, spreadOf, takeTurns } from "./measure.ts";
import { printTable, type Row, timeText } from "./table.ts";

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const rounds = 301;

type Cases = Readonly<Record<string, () => unknown>>;

/** The comparisons by body size, with the aim for the ratio. */
const comparisons: readonly [bytes: number, ours: string, peer: string, aim?: number][] = [
  [512, "verifySync", "floor", 1.25],
  [512, "verifySync", "stripe constructEvent", 1],
  [512, "verifySync", "svix verify", 0.5],
  [512, "verifySync", "standardwebhooks verify", 0.5],
  [512, "verifySync", "octokit verify, no timestamp, unparsed"],
  [512, "verify", "stripe constructEventAsync", 1],
  [512, "verifySync, text", "floor"],
  [512, "verifySync, two secrets", "floor"],
  [512, "verifySync, deliveryKey", "floor"],
  [4096, "verifySync", "svix verify", 0.5],
  [4096, "verifySync", "standardwebhooks verify", 0.5],
  [4096, "verify", "stripe constructEventAsync", 1],
  [65_536, "verifySync", "stripe constructEvent", 1.05],
  [65_536, "verifySync, text", "stripe constructEvent, text", 1.05],
  [65_536, "verifySync", "svix verify", 0.5],
  [65_536, "verifySync", "standardwebhooks verify", 0.5],
  [65_536, "verify", "stripe constructEventAsync", 1],
];

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
    verifySync: () => webhooks.verifySync({ body, headers }),
    "verifySync, text": () => webhooks.verifySync({ body: text, headers }),
    "verifySync, two secrets": () => rotating.verifySync({ body, headers }),
    "verifySync, deliveryKey": () => webhooks.verifySync({ body, headers }).deliveryKey,
    verify: () => webhooks.verify({ body, headers }),
    "stripe constructEvent": () => stripe.webhooks.constructEvent(body, stripeHeader, secret),
    "stripe constructEvent, text": () => stripe.webhooks.constructEvent(text, stripeHeader, secret),
    "stripe constructEventAsync": () =>
      stripe.webhooks.constructEventAsync(body, stripeHeader, secret),
    "svix verify": () => svixWebhook.verify(body, svixHeaders),
    "standardwebhooks verify": () => standardWebhook.verify(body, standardHeaders),
    "octokit verify, no timestamp, unparsed": () => octokitVerify(secret, text, octokitSignature),
  };
}

export async function webhookRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const bytes of new Set(comparisons.map(([bytes]) => bytes))) {
    const compared = comparisons.filter(([of]) => of === bytes);
    const named = new Set(compared.flatMap(([, ours, peer]) => [ours, peer]));
    const calls = Math.round(200_000 / (bytes + 500));
    const cases = Object.entries(await casesFor(bytes))
      .filter(([name]) => named.has(name))
      .map(([name, run]) => [name, perCall(run, calls)]);
    const turns = await takeTurns(Object.fromEntries(cases), { rounds, warmUp: 30 });
    const time = (name: string) => timeText(spreadOf(turns[name] ?? []).median);
    for (const [, ours, peer, aim] of compared) {
      rows.push({
        what: `webhook of ${bytes} bytes, ${ours}`,
        ours: time(ours),
        peer: `${peer} ${time(peer)}`,
        ratio: ratioOf(turns, ours, peer),
        ...(aim !== undefined && { aim }),
      });
    }
  }
  return rows;
}

if (import.meta.main) printTable(await webhookRows());
