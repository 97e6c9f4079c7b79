/**
 * What one call costs: a payment created over loopback, where a bare node:http server in another process
 * answers at once, beside a plain fetch and other clients, one at a time and 16 at a time.
 *
 * Run with `npm run build && node bench/call.ts`. With `--source` settlekit comes from src/ instead of
 * dist/. With `--breakdown` it also prints what is left of a call when nothing is sent: fetch is a stub.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import OpenAI from "openai";
import Stripe from "stripe";
import { request } from "undici";
import { createdPayment } from "./payment-answer.ts";
import { ratioOf, spreadOf, type Turn, takeTurns } from "./rounds.ts";
import { printTable, type Row, timeText } from "./table.ts";

const path = "/v1/external/secretkey-auth/payments";
const body = { amount: 2500, currency: "USD", orderId: "order_1" } as const;
const ours = "settlekit";

type Clients = Readonly<Record<string, () => Promise<unknown>>>;

async function settlekitClient(baseUrl: string, fetch?: (url: string) => Promise<Response>) {
  const source = process.argv.includes("--source") ? "../src/index.ts" : "../dist/index.js";
  const { MerchantClient } = (await import(source)) as typeof import("../src/index.ts");
  const options = { environment: "sandbox", baseUrl, secretKey: "sk_test_bench" } as const;
  const client = new MerchantClient(fetch ? { ...options, fetch } : options);
  return () => client.payments.create({ amount: 2500, orderId: "order_1" });
}

/** What a careful caller would write by hand. */
async function rawFetch(url: string): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-secret-key": "sk_test_bench" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

async function clientsOf(port: number): Promise<Clients> {
  const baseUrl = `http://127.0.0.1:${port}`;
  const openai = new OpenAI({ apiKey: "sk_test_bench", baseURL: baseUrl });
  const stripe = new Stripe("sk_test_bench", { host: "127.0.0.1", port, protocol: "http" });
  return {
    [ours]: await settlekitClient(baseUrl),
    "raw fetch": () => rawFetch(baseUrl + path),
    openai: () => openai.post(path, { body }),
    stripe: () => stripe.paymentIntents.create({ amount: 2500, currency: "usd" }),
    "undici.request": async () => {
      const answer = await request(baseUrl + path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-service-secret-key": "sk_test_bench" },
        body: JSON.stringify(body),
      });
      return answer.body.json();
    },
  };
}

/** The median time of the calls of a turn, in microseconds, so many of them at a time. */
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

/** The most that a call may cost of what others do. */
const aims: Readonly<Record<string, number>> = { "raw fetch": 1.45, openai: 1 };

export async function callRows(): Promise<Row[]> {
  const server = fork(`${import.meta.dirname}/call-server.ts`);
  try {
    const [port] = await once(server, "message");
    const clients = await clientsOf(Number(port));
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

/** What settlekit itself does in a call: the same, with a fetch that answers at once. */
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
    what: "a call when fetch is a stub",
    ours: us(ours),
    peer: `${peer} ${us(peer)}`,
    ratio: ratioOf(turns, ours, peer),
  }));
}

if (import.meta.main) {
  const rows = await callRows();
  printTable(process.argv.includes("--breakdown") ? [...rows, ...(await breakdown())] : rows);
}
