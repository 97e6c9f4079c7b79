/**
 * One call: creates a payment over loopback, on a bare node:http server in another process that responds immediately.
 * Compared with bare ky, a plain fetch and other clients, one at a time and 16 at a time.
 *
 * Run with `npm run build && node bench/call.ts`. `--source` takes settlekit from src/ instead of dist/.
 * `--breakdown` adds the cost of a call with a stubbed fetch.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import ky from "ky";
import OpenAI from "openai";
import Stripe from "stripe";
import { request } from "undici";
import type { ClientOptions, FetchInit } from "../src/index.ts";
import { ratioOf, spreadOf, type Turn, takeTurns } from "./measure.ts";
import { createdPayment, headersWith, order, paymentsPath } from "./payloads.ts";
import { printTable, type Row, timeText } from "./table.ts";

const headers = headersWith("sk_test_bench");
const ours = "settlekit";

type Clients = Readonly<Record<string, () => Promise<unknown>>>;

async function settlekitClient(baseUrl: string, fetch?: ClientOptions["fetch"]) {
  const source = process.argv.includes("--source") ? "../src/index.ts" : "../dist/index.js";
  const { MerchantClient } = (await import(source)) as typeof import("../src/index.ts");
  const options = { environment: "sandbox", baseUrl, secretKey: "sk_test_bench" } as const;
  const client = new MerchantClient(fetch ? { ...options, fetch } : options);
  return () => client.payments.create({ amount: 2500, orderId: "order_1" });
}

/** The code that a careful caller would write by hand. */
async function rawFetch(url: string): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify(order),
  });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

async function clientsOf(port: number): Promise<Clients> {
  const baseUrl = `http://127.0.0.1:${port}`;
  const url = baseUrl + paymentsPath;
  const sent = await sentBySettlekit();
  const openai = new OpenAI({ apiKey: "sk_test_bench", baseURL: baseUrl });
  const stripe = new Stripe("sk_test_bench", { host: "127.0.0.1", port, protocol: "http" });
  return {
    [ours]: await settlekitClient(baseUrl),
    // The same version as settlekit bundles.
    "ky, the same request": () => {
      const headers = { ...sent.headers, "idempotency-key": crypto.randomUUID() };
      return ky.post(url, { ...sent, headers, ...kyOptions }).json();
    },
    ky: () => ky.post(url, { headers, json: order, ...kyOptions }).json(),
    "raw fetch": () => rawFetch(url),
    openai: () => openai.post(paymentsPath, { body: order }),
    stripe: () => stripe.paymentIntents.create({ amount: 2500, currency: "usd" }),
    "undici.request": async () => {
      const answer = await request(baseUrl + paymentsPath, {
        method: "POST",
        headers,
        body: JSON.stringify(order),
      });
      return answer.body.json();
    },
  };
}

/** Without retries, and with settlekit's limit on the time until the whole response has arrived. */
const kyOptions = { timeout: false, totalTimeout: 30_000, retry: 0 } as const;

/** The request that settlekit passes to fetch for this order. */
async function sentBySettlekit() {
  const { promise, resolve } = Promise.withResolvers<FetchInit>();
  const create = await settlekitClient("http://127.0.0.1:1", async (_url, init) => {
    resolve(init);
    return Response.json(createdPayment, { status: 201 });
  });
  await create();
  const { signal: _, ...request } = await promise;
  return request;
}

/** The median time of a turn's calls in microseconds, with that many at a time. */
function turnOf(call: () => Promise<unknown>, concurrency: number, calls: number): Turn {
  return async () => {
    const times: number[] = [];
    let begun = 0;
    const worker = async () => {
      while (begun++ < calls) {
        const startedAt = performance.now();
        await call();
        times.push(1000 * (performance.now() - startedAt));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return spreadOf(times).median;
  };
}

async function measure(
  clients: Clients,
  { concurrency, calls, rounds }: { concurrency: number; calls: number; rounds: number },
) {
  const cases = Object.entries(clients).map(([name, call]) => [
    name,
    turnOf(call, concurrency, calls),
  ]);
  return takeTurns(Object.fromEntries(cases), { rounds, warmUp: Math.ceil(rounds / 5) });
}

/** The maximum ratio to a peer. */
const aims: Readonly<Record<string, number>> = { "ky, the same request": 1.2 };

export async function callRows(): Promise<Row[]> {
  const server = fork(`${import.meta.dirname}/server.ts`, ["payment"]);
  try {
    const [{ port }] = await once(server, "message");
    const clients = await clientsOf(port);
    const rows: Row[] = [];
    for (const concurrency of [1, 16]) {
      const calls = concurrency === 1 ? 40 : 160;
      const turns = await measure(clients, { concurrency, calls, rounds: 150 });
      const us = (name: string) => timeText(spreadOf(turns[name] ?? []).median);
      for (const peer of Object.keys(clients).filter((name) => name !== ours)) {
        const aim = aims[peer];
        rows.push({
          what: `one call over loopback, ${concurrency} at a time`,
          ours: us(ours),
          peer: `${peer} ${us(peer)}`,
          ratio: ratioOf(turns, ours, peer),
          ...(aim !== undefined && { aim }),
        });
      }
    }
    return rows;
  } finally {
    server.disconnect();
  }
}

/** The cost that settlekit adds to a call: the same call with a fetch that responds immediately. */
async function breakdown(): Promise<Row[]> {
  const text = JSON.stringify(createdPayment);
  const headers = { "content-type": "application/json" };
  const stub = async () => new Response(text, { status: 201, headers });
  const clients: Clients = {
    [ours]: await settlekitClient("http://127.0.0.1:1", stub),
    "Response and its json()": async () => (await stub()).json(),
    "JSON.parse": async () => JSON.parse(text),
  };
  const turns = await measure(clients, { concurrency: 1, calls: 200, rounds: 200 });
  const us = (name: string) => timeText(spreadOf(turns[name] ?? []).median);
  const peers = Object.keys(clients).filter((name) => name !== ours);
  return peers.map((peer) => ({
    what: "a call with a stubbed fetch",
    ours: us(ours),
    peer: `${peer} ${us(peer)}`,
    ratio: ratioOf(turns, ours, peer),
  }));
}

if (import.meta.main) {
  const rows = await callRows();
  printTable(process.argv.includes("--breakdown") ? [...rows, ...(await breakdown())] : rows);
}
