/**
 * The cost of `settlekit/opentelemetry`: creates a payment over loopback with and without it, on the real OpenTelemetry
 * SDK with exporters that send nothing.
 *
 * After removal, it must have no measurable cost. Two rows check that. A client whose instrumentation was removed
 * takes turns with one that never had any, and the 95 % interval of their ratio must span 1. The work that a call
 * does when it has no observers (its events, and the headers that they could add) is measured separately.
 *
 * Run with `npm run build && node bench/instrumented.ts`.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { headersFrom, notify } from "../src/http/events.ts";
import { channel } from "../src/runtime.ts";
import { intervalOf, perCall, ratioOf, ratiosOf, spreadOf, takeTurns } from "./measure.ts";
import { printTable, type Row, timeText } from "./table.ts";

const [plain, instrumented, removed] = ["settlekit", "instrumented", "instrumentation removed"];
const silently = "nothing observes";

/** The work that a call does for observers when there are none. */
function tellNobody(): void {
  const observers = new Set<never>();
  const call = { callId: 1, operation: "payments.create" };
  notify({ type: "start", ...call, method: "POST", path: "/v1/payments" }, observers, silent);
  const redact = (text: string) => text;
  const request = { path: "/v1/payments", query: {}, body: "{}", redact };
  headersFrom(observers, 1, request, "X-Service");
  const attempt = { type: "attempt", ...call, attempt: 1, durationMs: 1, status: 201 } as const;
  notify(attempt, observers, silent);
  const end = { type: "end", ...call, ok: true, durationMs: 1, attempts: 1, status: 201 } as const;
  notify(end, observers, silent);
}
const silent = channel("settlekit:bench");

export async function instrumentedRows(): Promise<Row[]> {
  const dist = (name: string) => import(`../dist/${name}.js`);
  const { MerchantClient } = (await dist("index")) as typeof import("../src/index.ts");
  const { instrument } = (await dist(
    "opentelemetry",
  )) as typeof import("../src/opentelemetry/index.ts");
  const exporter = {
    export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: async () => {},
  };
  const spanProcessors = [new BatchSpanProcessor(exporter)];
  const tracer = new BasicTracerProvider({ spanProcessors }).getTracer("bench");
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter });
  const meter = new MeterProvider({ readers: [reader] }).getMeter("bench");

  const server = fork(`${import.meta.dirname}/server.ts`, ["payment"]);
  try {
    const [{ port }] = await once(server, "message");
    const baseUrl = `http://127.0.0.1:${port}`;
    const newClient = () =>
      new MerchantClient({ environment: "sandbox", baseUrl, secretKey: "sk_test_bench" });
    const [bare, traced, released] = [newClient(), newClient(), newClient()];
    instrument(traced, { tracer, meter });
    instrument(released, { tracer, meter })();
    const turn = (client: typeof bare) =>
      perCall(() => client.payments.create({ amount: 2500, orderId: "order_1" }), 40);
    const turns = await takeTurns(
      { [plain]: turn(bare), [instrumented]: turn(traced), [removed]: turn(released) },
      { rounds: 300, warmUp: 30 },
    );
    const off = intervalOf(ratiosOf(turns, removed, plain));
    const silence = await takeTurns(
      { [silently]: perCall(tellNobody, 10_000) },
      { rounds: 100, warmUp: 30 },
    );
    const silentUs = spreadOf(silence[silently] ?? []).median;
    const plainUs = spreadOf(turns[plain] ?? []).median;
    const us = (name: string) => timeText(spreadOf(turns[name] ?? []).median);
    const row = (what: string, name: string, aim: Row["aim"]): Row => {
      const peer = `${plain} ${us(plain)}`;
      return { what, ours: us(name), peer, ratio: ratioOf(turns, name, plain), aim };
    };
    return [
      row("a call, instrumented", instrumented, 1.15),
      row("a call after instrumentation was removed", removed, {
        text: `95 % interval ${off.low.toFixed(3)} to ${off.high.toFixed(3)}, spans 1`,
        isMet: off.low <= 1 && off.high >= 1,
      }),
      {
        what: "a call's events, when nothing observes it",
        ours: timeText(silentUs),
        peer: `a call ${timeText(plainUs)}`,
        ratio: silentUs / plainUs,
        aim: 0.01,
      },
    ];
  } finally {
    server.disconnect();
    await reader.shutdown();
  }
}

if (import.meta.main) printTable(await instrumentedRows());
