import {
  context,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import type { InboxEvent, InboxItem, InboxStep } from "../inbox/events.ts";
import type { InboxStats } from "../inbox/index.ts";
import type { Observer } from "../stores/observers.ts";
import {
  createRounds,
  detached,
  fail,
  measure,
  type Telemetry,
  tenantAttribute,
} from "./telemetry.ts";

/** An inbox with any store. */
export interface AnyInbox {
  /** The inbox's statistics. */
  stats(): Promise<InboxStats>;
  /** Everything that is waiting for a person. */
  parked(): Promise<unknown>;
}

type Observable = AnyInbox & {
  observe(observer: Observer<InboxEvent, InboxStep>): () => void;
};

/**
 * A span for each settling of a payment or withdrawal and for each task, linked to its causes: the webhooks that
 * reported the change, or the settling that planned the task. Their trace contexts are stored with the rows, because
 * effects run long after the response to a webhook, perhaps in another process.
 */
export function instrumentInbox(inbox: AnyInbox, telemetry: Telemetry): () => void {
  const { tracer, identifiers } = telemetry;
  const count = inboxCounters(telemetry);
  const stopMeasuring = measureInbox(inbox, telemetry);
  const rounds = createRounds(tracer);
  const keyOf = ({ tenant, kind, id }: InboxItem) => JSON.stringify([tenant, kind, id]);

  const stopObserving = (inbox as Observable).observe({
    detached,
    onEvent(event) {
      count(event);
      if (event.type !== "accepted" && "id" in event) tell(rounds.spanOf(keyOf(event)), event);
    },
    traceContext() {
      const active = trace.getSpanContext(context.active());
      return active && isSpanContextValid(active) ? traceparent(active) : null;
    },
    around(item, run) {
      const links = linksFrom(item.causes);
      const name = item.kind === "task" ? "task" : `settle ${item.kind}`;
      const attributes = identifiers ? { "settlekit.id": item.id } : {};
      const options = { kind: SpanKind.CONSUMER, links, attributes };
      return rounds.run(keyOf(item), name, options, run);
    },
  });
  return () => {
    stopObserving();
    stopMeasuring();
  };
}

function traceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Links to the spans that stored trace contexts name. */
function linksFrom(causes: string | null): Link[] {
  return (causes ?? "").split(" ").flatMap((cause) => {
    const [, traceId = "", spanId = "", traceFlags = "00"] = cause.split("-");
    const context = {
      traceId,
      spanId,
      traceFlags: Number.parseInt(traceFlags, 16),
      isRemote: true,
    };
    return isSpanContextValid(context) ? [{ context }] : [];
  });
}

function tell(span: Span | undefined, event: InboxEvent): void {
  if (span === undefined) return;
  if (event.type === "settled") {
    if (event.status !== undefined) span.setAttribute("settlekit.status", event.status);
    span.setAttribute("settlekit.effects", [...event.effects]);
  } else {
    const error = event.type === "retried" ? event.error : undefined;
    fail(span, error instanceof Error ? error.name : event.type);
    span.addEvent(event.type);
  }
}

function inboxCounters({ meter }: Telemetry): (event: InboxEvent) => void {
  const outcomes = meter.createCounter("settlekit.inbox.settlings", {
    description: "Payments, withdrawals and tasks that were processed, by kind and outcome.",
  });
  const missed = meter.createCounter("settlekit.inbox.missed", {
    description: "Changes found in the service's lists that no webhook had reported, by kind.",
  });
  const failures = meter.createCounter("settlekit.inbox.failures", {
    description: "Failures of the worker itself, for example because the database is unreachable.",
  });
  return (event) => {
    if (event.type === "accepted" || event.type === "claimed") return;
    const tenant = tenantAttribute(event.tenant);
    if (event.type === "failed") failures.add(1, tenant);
    else if (event.type === "reconciled") {
      missed.add(event.missed, { "settlekit.kind": event.kind, ...tenant });
    } else {
      const outcome = { "settlekit.kind": event.kind, "settlekit.outcome": event.type };
      outcomes.add(1, { ...outcome, ...tenant });
    }
  };
}

/** The inbox's statistics cover all tenants. */
function measureInbox(inbox: AnyInbox, { meter }: Telemetry): () => void {
  const lag = meter.createObservableGauge("settlekit.inbox.lag", {
    unit: "s",
    description: "Longest time that a change has been waiting to be settled, or a task to run.",
  });
  const changed = meter.createObservableGauge("settlekit.inbox.changed", {
    description: "Payments and withdrawals with changes that are not settled yet.",
  });
  const parked = meter.createObservableGauge("settlekit.inbox.parked", {
    description: "Payments, withdrawals and tasks that wait for a person.",
  });
  const tasks = meter.createObservableGauge("settlekit.inbox.tasks", {
    description: "Tasks that have not run yet.",
  });
  return measure(meter, [lag, changed, parked, tasks], inbox, (result, stats) => {
    result.observe(changed, stats.changed);
    result.observe(parked, stats.parked);
    result.observe(tasks, stats.tasks);
  });
}
