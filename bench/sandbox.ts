/**
 * A sandbox: creating one, using it in process and over HTTP, starting it from the command line, and the memory that
 * 10,000 payments take.
 *
 * Run with `npm run build && node bench/sandbox.ts`; it takes about 20 seconds.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { createSandbox } from "../dist/sandbox.js";
import {
  collectGarbage,
  perCall,
  ratioOf,
  spreadOf,
  type Turn,
  type Turns,
  takeTurns,
} from "./measure.ts";
import { headersWith, order, paymentsPath } from "./payloads.ts";
import { printTable, type Row, timeText } from "./table.ts";

const identity = "bench";
const { secretKey } = createSandbox({ identity });
const headers = headersWith(secretKey);
const body = JSON.stringify(order);

type Sandbox = ReturnType<typeof createSandbox>;

async function createPayment(sandbox: Sandbox): Promise<void> {
  const url = `http://127.0.0.1${paymentsPath}`;
  const init = { method: "POST", headers, body };
  const response = await sandbox.fetch(new Request(url, init));
  if (response.status !== 201) throw new Error(await response.text());
  await response.text();
}

/** Measures the microseconds until the command line prints its first line. */
function ready(file: string, args: readonly string[]): Turn {
  return async () => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [file, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const microseconds = 1000 * (performance.now() - startedAt);
    child.kill("SIGKILL");
    await once(child, "close");
    return microseconds;
  };
}

/** A server in a process of its own, with functions that send requests to it. */
async function served(kind: "sandbox" | "replay") {
  const child = fork(fileURLToPath(new URL("server.ts", import.meta.url)), [kind]);
  const [{ port, readPath }] = await once(child, "message");
  const fetched = async (path: string, init: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${response.status}`);
    await response.text();
  };
  return {
    create: () => fetched(paymentsPath, { method: "POST", body }),
    read: () => fetched(readPath, {}),
    close: () => child.kill("SIGKILL"),
  };
}

const held = 10_000;

/** The heap that `held` payments take, and the growth of the process, which includes V8's reserve. */
async function growthMb() {
  const sandbox = createSandbox({ identity });
  for (let count = 0; count < 100; count++) await createPayment(sandbox);
  sandbox.reset();
  collectGarbage();
  const before = process.memoryUsage();
  for (let count = 0; count < held; count++) await createPayment(sandbox);
  collectGarbage();
  const after = process.memoryUsage();
  const total = sandbox.payments.all().length;
  if (total !== held) throw new Error(`The sandbox holds ${total} payments instead of ${held}.`);
  const onHeap = after.heapUsed + after.external - before.heapUsed - before.external;
  return { heapMb: onHeap / 1e6, processMb: (after.rss - before.rss) / 1e6 };
}

export async function sandboxRows(): Promise<Row[]> {
  const memory = await growthMb();
  const sandbox = createSandbox({ identity });
  const inProcess = await takeTurns(
    {
      make: perCall(() => createSandbox(), 100),
      create: perCall(() => createPayment(sandbox), 200),
    },
    { rounds: 15, warmUp: 5 },
  );

  const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
  const starts = await takeTurns(
    {
      settlekit: ready(cli, ["sandbox", "--port", "0", "--json"]),
      node: ready("--eval", ["console.log()"]),
    },
    { rounds: 11, warmUp: 1 },
  );

  const [ours, bare] = [await served("sandbox"), await served("replay")];
  const overHttp = await takeTurns(
    {
      create: perCall(ours.create, 100),
      bareCreate: perCall(bare.create, 100),
      read: perCall(ours.read, 100),
      bareRead: perCall(bare.read, 100),
    },
    { rounds: 41, warmUp: 40 },
  );
  ours.close();
  bare.close();

  return [
    atMost("creating a sandbox", inProcess, "make", 1_000),
    atMost("creating a payment in process", inProcess, "create", 200),
    {
      ...atMost("settlekit sandbox, until ready", starts, "settlekit", 300_000),
      peer: `node alone ${timeOf(starts, "node")}`,
    },
    {
      ...atMost("creating a payment over HTTP", overHttp, "create", 1_000),
      ...comparedWithBare(overHttp, "create", "bareCreate"),
    },
    {
      ...atMost("reading a payment over HTTP", overHttp, "read", 1_000),
      ...comparedWithBare(overHttp, "read", "bareRead"),
    },
    {
      what: "10,000 payments held",
      ours: `${memory.heapMb.toFixed(0)} MB`,
      peer: `the process grew by ${memory.processMb.toFixed(0)} MB`,
      aim: { text: "at most 100 MB", isMet: memory.heapMb <= 100 },
    },
  ];
}

function timeOf(turns: Turns, name: string): string {
  return timeText(spreadOf(turns[name] ?? []).median);
}

function comparedWithBare(turns: Turns, name: string, bare: string) {
  const peer = `node:http with the same bytes ${timeOf(turns, bare)}`;
  return { peer, ratio: ratioOf(turns, name, bare) };
}

function atMost(what: string, turns: Turns, name: string, microseconds: number): Row {
  const { median } = spreadOf(turns[name] ?? []);
  const aim = { text: `at most ${timeText(microseconds)}`, isMet: median <= microseconds };
  return { what, ours: timeText(median), aim };
}

if (import.meta.main) printTable(await sandboxRows());
