import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { MerchantClient } from "settlekit";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { databases, type TestDatabase } from "../databases.ts";

// Real processes, killed and stopped at any moment. Time passes 30 times faster in their database: a lease is a second.

const scale =
  process.env.SETTLEKIT_PROCESS_RUNS === "all"
    ? { payments: 5_000, kills: 200, stops: 100 }
    : { payments: 120, kills: 4, stops: 1 };
const leaseMs = 1_000;

interface Worker {
  readonly process: ChildProcess;
  readonly port: number;
}

const program = new URL("worker-process.ts", import.meta.url).pathname;

async function startWorker(...parameters: string[]): Promise<Worker> {
  const child = spawn(process.execPath, ["--no-warnings", program, ...parameters], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit").then(() => {
    throw new Error("The worker ended before it listened.");
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(child.stdout, "data"), ended]);
  return { process: child, port: Number(line) };
}

async function end(worker: Worker): Promise<void> {
  if (worker.process.exitCode !== null || worker.process.signalCode !== null) return;
  const exited = once(worker.process, "exit");
  worker.process.kill("SIGKILL");
  await exited;
}

describe.each(databases)("two processes on %s", (name, openDatabase) => {
  it("that are killed and stopped at any moment double and lose no effect", async () => {
    const database: TestDatabase = await openDatabase();
    await database.query("CREATE TABLE shipments (order_id TEXT, state TEXT)");
    const sandbox = createSandbox({ seed: "processes", deliver: (request) => deliver(request) });
    const server = await sandbox.listen({ port: 0 });
    const parameters = [database.address, server.url, sandbox.secretKey, sandbox.webhookSecret];
    const workers = [await startWorker(...parameters), await startWorker(...parameters)];

    const accepted = new Set<string>();
    let turn = 0;
    /** To one process after the other, until one of them answers 200, as the service does. */
    async function deliver(request: Request): Promise<Response> {
      const body = await request.clone().text();
      for (;;) {
        const worker = workers[turn++ % workers.length];
        const answer = await fetch(`http://127.0.0.1:${worker?.port}/`, {
          method: "POST",
          headers: request.headers,
          body,
          signal: AbortSignal.timeout(5_000),
        }).catch(() => undefined);
        if (answer?.status === 200) {
          accepted.add(body);
          return new Response();
        }
        await delay(20);
      }
    }

    const client = new MerchantClient({
      environment: "sandbox",
      baseUrl: server.url,
      secretKey: sandbox.secretKey,
    });
    let isSelling = true;
    const sell = async (from: number) => {
      for (let n = from; n < scale.payments; n += 4) {
        const { paymentId } = await client.payments.create({ amount: 250, orderId: `order_${n}` });
        await sandbox.payments.simulate(paymentId, "success");
      }
    };
    const selling = Promise.all([0, 1, 2, 3].map(sell)).finally(() => {
      isSelling = false;
    });

    const random = generator(7);
    const done = { kills: 0, stops: 0 };
    while (done.kills < scale.kills || done.stops < scale.stops) {
      await delay(20 + random() * 150);
      const index = random() < 0.5 ? 0 : 1;
      const worker = workers[index];
      if (worker === undefined) continue;
      const left = scale.kills - done.kills + scale.stops - done.stops;
      if (random() * left < scale.stops - done.stops) {
        worker.process.kill("SIGSTOP");
        await delay(leaseMs * 1.3);
        worker.process.kill("SIGCONT");
        done.stops++;
      } else {
        await end(worker);
        workers[index] = await startWorker(...parameters);
        done.kills++;
      }
    }
    await selling;
    expect(isSelling).toBe(false);
    await sandbox.webhooks.idle();

    const subjects = name === "SQLite" ? "settlekit_inbox_subjects" : "settlekit.inbox_subjects";
    const tasks = name === "SQLite" ? "settlekit_inbox_tasks" : "settlekit.inbox_tasks";
    const count = async (text: string) => Number((await database.query(text))[0]?.count);
    // What was being worked on at three kills in a row waits for a person.
    const parked = await count(
      `SELECT count(*) AS count FROM ${subjects} WHERE parked_at IS NOT NULL`,
    );
    const retry = `UPDATE ${subjects} SET parked_at = NULL, starts = 0 WHERE parked_at IS NOT NULL`;
    for (;;) {
      await database.query(retry);
      await database.query(retry.replace(subjects, tasks));
      const changed = await count(`SELECT count(*) AS count FROM ${subjects} WHERE news > seen`);
      if (changed + (await count(`SELECT count(*) AS count FROM ${tasks}`)) === 0) break;
      await delay(50);
    }
    for (const worker of workers) await end(worker);
    await server.close();

    const shipped = await database.query("SELECT order_id FROM shipments");
    const orders = new Set(shipped.map((row) => row.order_id));
    process.stdout.write(
      `${name}: ${done.kills} SIGKILLs, ${done.stops} SIGSTOPs, ${scale.payments} payments, ${accepted.size} webhooks ` +
        `answered with 200: ${shipped.length - orders.size} effects doubled, ${scale.payments - orders.size} lost, ${parked} parked\n`,
    );
    expect(shipped).toHaveLength(orders.size);
    expect(orders.size).toBe(scale.payments);
    await database.close();
  }, 1_800_000);
});

/** Numbers from 0 to 1, the same in each run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
