import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, ROOT_CONTEXT } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

/** Works like the context manager of the Node SDK. */
class AsyncContextManager implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    run: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(active, () => run.call(thisArg as ThisParameterType<F>, ...args));
  }

  bind<T>(_: Context, target: T): T {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}

context.setGlobalContextManager(new AsyncContextManager());

/** The real SDK with exporters in memory. */
export function createTelemetry() {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter });
  const tracer = new BasicTracerProvider({ spanProcessors }).getTracer("test");
  const meter = new MeterProvider({ readers: [reader] }).getMeter("test");
  return {
    tracer,
    /** For `instrument`. */
    options: { tracer, meter },
    spans: (): ReadableSpan[] => exporter.getFinishedSpans(),
    span(name: string): ReadableSpan {
      const found = exporter.getFinishedSpans().find((span) => span.name === name);
      if (found === undefined) throw new Error(`There is no span ${name}.`);
      return found;
    },
    /** The data points of a metric. */
    async points(name: string): Promise<unknown[]> {
      await reader.forceFlush();
      const metrics = metricExporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((it) => it.metrics);
      const points = metrics?.find((it) => it.descriptor.name === name)?.dataPoints ?? [];
      return points.map(({ attributes, value }) => ({ attributes, value }));
    },
    /** Everything that was recorded, as text. */
    async everything(): Promise<string> {
      await reader.forceFlush();
      const spans = exporter
        .getFinishedSpans()
        .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
      return JSON.stringify([spans, metricExporter.getMetrics()]);
    },
    async [Symbol.asyncDispose]() {
      await reader.shutdown();
    },
  };
}
