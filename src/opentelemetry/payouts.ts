import type { BatchObservableResult, Span } from "@opentelemetry/api";
import type { PayoutStep, PayoutsEvent } from "../payouts/events.ts";
import type { PayoutsStats } from "../payouts/index.ts";
import type { Observer } from "../stores/observers.ts";
import {
  createRounds,
  detached,
  fail,
  measure,
  type Telemetry,
  tenantAttribute,
} from "./telemetry.ts";

/** A payout ledger with any store. */
export interface AnyPayouts {
  /** The ledger's statistics. */
  stats(): Promise<PayoutsStats>;
  /** Approves a payout. */
  approve(orderId: string, decision: { readonly by: string }): Promise<unknown>;
}

type Observable = AnyPayouts & {
  readonly tenant: string;
  observe(observer: Observer<PayoutsEvent, PayoutStep>): () => void;
};

/** A span for each step of a payout, which contains the client's calls, and metrics by state. */
export function instrumentPayouts(payouts: AnyPayouts, telemetry: Telemetry): () => void {
  const { tracer, identifiers } = telemetry;
  const ledger = payouts as Observable;
  const count = payoutCounters(telemetry);
  const stopMeasuring = measurePayouts(ledger, telemetry);
  const rounds = createRounds(tracer);

  const stopObserving = ledger.observe({
    detached,
    onEvent(event) {
      count(event);
      const span = rounds.spanOf(orderIdOf(event));
      if (span !== undefined) tell(span, event);
    },
    around({ orderId, state }, run) {
      const attributes = {
        "settlekit.state": state,
        ...(identifiers && { "settlekit.order_id": orderId }),
      };
      return rounds.run(orderId, "payout", { attributes }, run);
    },
  });
  return () => {
    stopObserving();
    stopMeasuring();
  };
}

function orderIdOf(event: PayoutsEvent): string | undefined {
  if (event.type === "changed") return event.payout.orderId;
  return "orderId" in event ? event.orderId : undefined;
}

function tell(span: Span, event: PayoutsEvent): void {
  if (event.type === "changed") {
    span.addEvent("changed", { "settlekit.state": event.payout.state });
  } else {
    span.addEvent(event.type);
    if (event.type === "failed" || event.type === "doubt") {
      const { error } = event;
      fail(span, error instanceof Error ? error.name : event.type);
    }
  }
}

function payoutCounters({ meter }: Telemetry): (event: PayoutsEvent) => void {
  const changes = meter.createCounter("settlekit.payouts.changes", {
    description: "Payouts that entered a state, by state.",
  });
  const events = meter.createCounter("settlekit.payouts.events", {
    description: "Doubts, waits, takeovers, failures and stops, by type.",
  });
  return (event) => {
    const tenant = tenantAttribute(event.tenant);
    if (event.type !== "changed") events.add(1, { "settlekit.type": event.type, ...tenant });
    else changes.add(1, { "settlekit.state": event.payout.state, ...tenant });
  };
}

function measurePayouts(payouts: Observable, { meter }: Telemetry): () => void {
  const states = meter.createObservableGauge("settlekit.payouts.count", {
    description: "Payouts in the ledger, by state.",
  });
  const stopped = meter.createObservableGauge("settlekit.payouts.stopped", {
    description: "1 while the breaker holds all payouts back, else 0.",
  });
  const lag = meter.createObservableGauge("settlekit.payouts.lag", {
    unit: "s",
    description: "Longest time that a payout has been due without a worker taking it.",
  });
  // Without it, the numbers of several ledgers would overwrite each other.
  const tenant = tenantAttribute(payouts.tenant);
  const observe = (result: BatchObservableResult, stats: PayoutsStats) => {
    for (const [state, count] of Object.entries(stats.states)) {
      result.observe(states, count, { "settlekit.state": state, ...tenant });
    }
    result.observe(stopped, stats.stopped === undefined ? 0 : 1, tenant);
  };
  return measure(meter, [lag, states, stopped], payouts, observe, tenant);
}
