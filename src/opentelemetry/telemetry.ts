import {
  type Attributes,
  type BatchObservableResult,
  context,
  createContextKey,
  type Meter,
  type ObservableGauge,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";

/** The options of `instrument`. */
export interface InstrumentOptions {
  /** Creates the spans. Default: the global provider's tracer. */
  readonly tracer?: Tracer | undefined;
  /** Creates the metrics. Default: the meter of the global provider, which must already be registered. */
  readonly meter?: Meter | undefined;
  /**
   * Whether requests carry the trace context, in the global propagator's headers, such as `traceparent`. The service
   * then learns your trace ids.
   *
   * @defaultValue false
   */
  readonly propagate?: boolean | undefined;
  /**
   * Whether spans contain ids, order ids, recipients' addresses and whole URLs, whose queries contain the filters of
   * lists. docs/production.md lists the attributes of each span. Metrics never contain them.
   *
   * @defaultValue false
   */
  readonly identifiers?: boolean | undefined;
}

/** The options with their defaults. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly meter: Meter;
  readonly propagate: boolean;
  readonly identifiers: boolean;
}

/** In seconds: from a local response to the usual deadline of a call. */
export const durationBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90,
];

/** Distinguishes the tenants of one process. Most processes have a single one, without a name. */
export function tenantAttribute(tenant = ""): Attributes {
  return tenant === "" ? {} : { "settlekit.tenant": tenant };
}

/**
 * Reads statistics whenever metrics are collected. While they cannot be read, the lag grows: an SDK repeats the last value
 * of a gauge, so an unreachable database would look like one without work. Returns a function that stops it.
 */
export function measure<Stats extends { readonly lagMs: number }>(
  meter: Meter,
  [lag, ...others]: readonly [lag: ObservableGauge, ...others: ObservableGauge[]],
  source: { stats(): Promise<Stats> },
  observe: (result: BatchObservableResult, stats: Stats) => void,
  attributes?: Attributes,
): () => void {
  const gauges = [lag, ...others];
  let last = { lagMs: 0, at: performance.now() };
  const callback = async (result: BatchObservableResult) => {
    const stats = await source.stats().catch(() => undefined);
    const now = performance.now();
    if (stats !== undefined) last = { lagMs: stats.lagMs, at: now };
    result.observe(lag, (last.lagMs + (now - last.at)) / 1000, attributes);
    if (stats !== undefined) observe(result, stats);
  };
  meter.addBatchObservableCallback(callback, gauges);
  return () => meter.removeBatchObservableCallback(callback, gauges);
}

export function fail(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Starts a worker outside the active trace, so that its spans do not become part of the caller's trace. */
export function detached<T>(run: () => T): T {
  return context.with(ROOT_CONTEXT, run);
}

interface Round {
  readonly item: string;
  readonly span: Span;
}

/** The spans of rounds of work. Events reported within a round find its span. */
export function createRounds(tracer: Tracer) {
  // In the context, not in a map: an item that is claimed again once its lease has lapsed has two rounds at a time.
  const key = createContextKey("settlekit round");
  return {
    /** Runs the work on an item within a span that ends with it. A failing tracer does not stop the work. */
    run<T>(item: string, name: string, options: SpanOptions, work: () => T): T {
      let span: Span;
      try {
        span = tracer.startSpan(name, options);
      } catch {
        return work();
      }
      const within = trace.setSpan(context.active(), span).setValue(key, { item, span });
      const result = context.with(within, work);
      const end = () => span.end();
      const endFailed = (error: unknown) => {
        fail(span, error instanceof Error ? error.name : "thrown");
        end();
      };
      // Span processors may throw, and an unhandled rejection would end the process.
      Promise.resolve(result)
        .then(end, endFailed)
        .catch(() => {});
      return result;
    },
    /** The span of the current round, if it is of this item: effects may report on others. */
    spanOf(item: string | undefined): Span | undefined {
      const round = context.active().getValue(key) as Round | undefined;
      return round?.item === item ? round?.span : undefined;
    },
  };
}
