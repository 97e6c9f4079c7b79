/**
 * What `settlekit/opentelemetry` costs: a payment created over loopback with and without it, by the real SDK, which
 * exports to nowhere. An observer that was removed again must cost nothing.
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
import { perCall, ratioOf, spreadOf, takeTurns } from "./measure.ts";
import { printTable, type Row, timeText } from "./table.ts";

const [plain, instrumented, removed] = ["settlekit", "instrumented", "instrumented no more"];

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
      { rounds: 150, warmUp: 30 },
    );
    const us = (name: string) => timeText(spreadOf(turns[name] ?? []).median);
    const row = (what: string, name: string, aim: number): Row => {
      const peer = `${plain} ${us(plain)}`;
      return { what, ours: us(name), peer, ratio: ratioOf(turns, name, plain), aim };
    };
    return [
      row("a call, instrumented", instrumented, 1.15),
      row("a call, instrumented no more", removed, 1.05),
    ];
  } finally {
    server.disconnect();
    await reader.shutdown();
  }
}

if (import.meta.main) printTable(await instrumentedRows());
