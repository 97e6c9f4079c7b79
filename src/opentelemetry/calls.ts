import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { MerchantClient } from "../client.ts";
import type {
  AttemptEvent,
  AttemptRequest,
  ClientEvent,
  EndEvent,
  StartEvent,
} from "../http/events.ts";
import { isRecord } from "../values.ts";
import { durationBuckets, fail, type Telemetry } from "./telemetry.ts";

interface OpenCall {
  readonly span: Span;
  /** With the call's span. */
  readonly context: Context;
  readonly start: StartEvent;
  attempts: number;
  attempt: Span | undefined;
}

/** A span for each call, a child span for each attempt, and the metrics of calls. */
export function instrumentClient(client: MerchantClient, telemetry: Telemetry): () => void {
  const { tracer, propagate, identifiers } = telemetry;
  const record = callMetrics(telemetry);
  const { hostname, port, protocol } = new URL(client.baseUrl);
  const server = {
    // An IPv6 address has no brackets: they are the syntax of URLs.
    "server.address": hostname.replace(/^\[|\]$/g, ""),
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
  };
  const calls = new Map<number, OpenCall>();

  function begin(start: StartEvent): void {
    const parent = context.active();
    const attributes = { "settlekit.operation": start.operation };
    const span = tracer.startSpan(start.operation, { attributes }, parent);
    calls.set(start.callId, {
      span,
      context: trace.setSpan(parent, span),
      start,
      attempts: 0,
      attempt: undefined,
    });
  }

  function beginAttempt(call: OpenCall, request: AttemptRequest): Record<string, string> {
    const { operation, method, path } = call.start;
    // The path of client.request is not a template: it contains ids.
    const template = operation === "request" ? undefined : path;
    const attributes: Attributes = {
      "http.request.method": method,
      ...(template !== undefined && { "url.template": template }),
      ...server,
      ...(call.attempts > 0 && { "http.request.resend_count": call.attempts }),
      ...(identifiers && { "url.full": client.baseUrl + urlOf(request) }),
    };
    if (identifiers && call.attempts === 0) call.span.setAttributes(identifiersIn(request.body));
    const options = { kind: SpanKind.CLIENT, attributes };
    const name = template === undefined ? method : `${method} ${template}`;
    call.attempt = tracer.startSpan(name, options, call.context);
    const headers = {};
    if (propagate) propagation.inject(trace.setSpan(call.context, call.attempt), headers);
    return headers;
  }

  function endAttempt(call: OpenCall, { attempt, status, requestId, failure }: AttemptEvent): void {
    const span = call.attempt;
    call.attempts = attempt;
    if (status !== undefined) span?.setAttribute("http.response.status_code", status);
    if (requestId !== undefined) span?.setAttribute("settlekit.request_id", requestId);
    closeAttempt(call, failure === "status" ? String(status) : failure);
  }

  function closeAttempt(call: OpenCall, failure: string | undefined): void {
    const span = call.attempt;
    call.attempt = undefined;
    if (span === undefined) return;
    if (failure !== undefined) fail(span, failure);
    span.end();
  }

  function end(call: OpenCall, event: EndEvent): void {
    // An attempt that was never sent: no event reports its end.
    closeAttempt(call, event.error ?? "_OTHER");
    const { span } = call;
    const { ok, attempts, requestId, error, code } = event;
    span.setAttribute("settlekit.attempts", attempts);
    span.setAttribute("settlekit.outcome", outcomeOf(event));
    if (requestId !== undefined) span.setAttribute("settlekit.request_id", requestId);
    if (error !== undefined) span.setAttribute("error.type", error);
    if (code !== undefined) span.setAttribute("settlekit.error.code", code);
    if (!ok) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  return client.observe({
    onEvent(event) {
      record(event);
      if (event.type === "start") return begin(event);
      const call = calls.get(event.callId);
      if (call === undefined) return;
      if (event.type === "attempt") endAttempt(call, event);
      else if (event.type === "end") {
        calls.delete(event.callId);
        end(call, event);
      } else if (event.type === "drift") {
        call.span.addEvent("drift", { "settlekit.paths": [...event.paths] });
      } else {
        if (event.type === "retry") closeAttempt(call, event.reason);
        const reason = event.type === "retry" && { "settlekit.reason": event.reason };
        call.span.addEvent(event.type, { "settlekit.wait_ms": event.waitMs, ...reason });
      }
    },
    beforeAttempt(callId, request) {
      const call = calls.get(callId);
      return call && beginAttempt(call, request);
    },
  });
}

function callMetrics({ meter }: Telemetry): (event: ClientEvent) => void {
  const durations = meter.createHistogram("settlekit.call.duration", {
    unit: "s",
    description: "Calls of the client, with their attempts and waits, by operation and outcome.",
    advice: { explicitBucketBoundaries: durationBuckets },
  });
  const retries = meter.createCounter("settlekit.call.retries", {
    description: "Requests sent again, by operation and reason.",
  });
  const pauses = meter.createHistogram("settlekit.call.pause.duration", {
    unit: "s",
    description: "Waits after the service limited the rate with a 429, by operation.",
    advice: { explicitBucketBoundaries: durationBuckets },
  });
  const drift = meter.createCounter("settlekit.call.drift", {
    description: "Successful responses that differ from the expected shape, by operation.",
  });
  return (event) => {
    const operation = { "settlekit.operation": event.operation };
    if (event.type === "end") {
      const error = event.error !== undefined && { "error.type": event.error };
      const attributes = { ...operation, "settlekit.outcome": outcomeOf(event), ...error };
      durations.record(event.durationMs / 1000, attributes);
    } else if (event.type === "retry") {
      retries.add(1, { ...operation, "settlekit.reason": event.reason });
    } else if (event.type === "pause") pauses.record(event.waitMs / 1000, operation);
    else if (event.type === "drift") drift.add(1, operation);
  };
}

function outcomeOf({ ok, outcome = "unknown" }: EndEvent): string {
  return ok ? "ok" : outcome;
}

/** The path and query that are sent, without the credential, which a custom request may contain. */
function urlOf({ path, query, redact }: AttemptRequest): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    // Redact before encoding, which would make a credential unrecognisable.
    if (value !== undefined) search.append(name, redact(String(value)));
  }
  return redact(path) + (search.size > 0 ? `?${search}` : "");
}

/** The order's attributes, from the body of a creation. */
function identifiersIn(body: string | undefined): Attributes {
  const content: unknown = body === undefined ? undefined : JSON.parse(body);
  const { orderId, recipientAddress } = isRecord(content) ? content : {};
  return {
    ...(typeof orderId === "string" && { "settlekit.order_id": orderId }),
    ...(typeof recipientAddress === "string" && {
      "settlekit.recipient_address": recipientAddress,
    }),
  };
}
