import type { Outcome, SettlekitErrorOptions } from "../errors.ts";
import type { Channel } from "../runtime.ts";
import { checkHeaders } from "./headers.ts";

interface CallEvent {
  /** Numbers the client's calls; all events of one call have the same value. */
  readonly callId: number;
  /** The method called, such as `payments.create`. */
  readonly operation: string;
}

/** A call began. Every start has exactly one end. */
export interface StartEvent extends CallEvent {
  readonly type: "start";
  readonly method: string;
  /** The path with its placeholders, so that metrics group well; for `client.request`, the path as given. */
  readonly path: string;
}

/** One request was answered, or failed. */
export interface AttemptEvent extends CallEvent {
  readonly type: "attempt";
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly durationMs: number;
  readonly status?: number;
  readonly requestId?: string;
  /** Why the attempt produced no usable response. */
  readonly failure?: string;
}

/** The call will wait and send the request again. */
export interface RetryEvent extends CallEvent {
  readonly type: "retry";
  /** Number of the upcoming attempt. */
  readonly attempt: number;
  /** Why: a status such as `503`, or the kind of failure. */
  readonly reason: string;
  readonly waitMs: number;
}

/** The call waits before sending, because the service rate-limited this client with a 429. */
export interface PauseEvent extends CallEvent {
  readonly type: "pause";
  /** In milliseconds. */
  readonly waitMs: number;
}

/** A successful response did not have the expected shape and was returned as received. */
export interface DriftEvent extends CallEvent {
  readonly type: "drift";
  /** Where it differs, each field once, such as `quotes.*.rateUsdAsset` for that of any quote. */
  readonly paths: readonly string[];
}

/** The call ended. */
export interface EndEvent extends CallEvent {
  readonly type: "end";
  readonly ok: boolean;
  readonly durationMs: number;
  readonly attempts: number;
  readonly status?: number;
  readonly requestId?: string;
  /** On failure: the error's class, code and outcome. */
  readonly error?: string;
  readonly code?: string;
  readonly outcome?: Outcome;
}

/** An event before `callId` and `operation` are added. */
export type EventFacts<Event = ClientEvent> = Event extends CallEvent
  ? Omit<Event, keyof CallEvent>
  : never;

/** The events of `onEvent`. None contains a secret, an amount or a body. */
export type ClientEvent =
  | StartEvent
  | AttemptEvent
  | RetryEvent
  | PauseEvent
  | DriftEvent
  | EndEvent;

/**
 * The part of `console` that is used; messages for a missing method are dropped. Loggers that take the details first,
 * such as pino, need an adapter.
 */
export interface Logger {
  debug?(message: string, details?: unknown): unknown;
  info?(message: string, details?: unknown): unknown;
  warn?(message: string, details?: unknown): unknown;
  error?(message: string, details?: unknown): unknown;
}

/** A request about to be sent. */
export interface AttemptRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: string | undefined;
  /** Removes the credential from a text before it is shown. */
  readonly redact: (text: string) => string;
}

/** Observes the calls of one client, as `settlekit/opentelemetry` does. */
export interface Observer {
  onEvent(event: ClientEvent): unknown;
  /** Called before each attempt. The headers that it returns are added to the request. */
  beforeAttempt?:
    | ((callId: number, request: AttemptRequest) => Readonly<Record<string, string>> | undefined)
    | undefined;
}

/** What an event says about a response, if there was one. */
export function answerFacts(answer: Pick<SettlekitErrorOptions, "status" | "requestId">) {
  const { status, requestId } = answer;
  return { ...(status !== undefined && { status }), ...(requestId !== undefined && { requestId }) };
}

/** The observers that a client's options ask for. */
export function observersOf(
  onEvent: ((event: ClientEvent) => void) | undefined,
  logger: Logger | undefined,
): Set<Observer> {
  const observers = new Set<Observer>();
  if (onEvent) {
    const onError = (error: unknown) =>
      harmlessly(() => logger?.error?.("settlekit: onEvent threw", error));
    observers.add({ onEvent: (event) => harmlessly(() => onEvent(event), onError) });
  }
  if (logger) observers.add({ onEvent: (event) => log(event, logger) });
  return observers;
}

/** Notifies everything that observes a client. No observer can make a call fail. */
export function notify(
  event: ClientEvent,
  observers: Iterable<Observer>,
  channel: Channel | undefined,
): void {
  for (const observer of observers) harmlessly(() => observer.onEvent(event));
  channel?.publish(event);
}

/** The headers that observers add to an attempt, without those that a caller may not set either. */
export function headersFrom(
  observers: Iterable<Observer>,
  callId: number,
  request: AttemptRequest,
  headerPrefix: string,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const observer of observers) {
    const add = ([name, value]: [string, string]) =>
      harmlessly(() => void Object.assign(headers, checkHeaders({ [name]: value }, headerPrefix)));
    harmlessly(() => Object.entries(observer.beforeAttempt?.(callId, request) ?? {}).forEach(add));
  }
  return headers;
}

function log(event: ClientEvent, logger: Logger): unknown {
  const message = `settlekit: ${event.operation} ${event.type}`;
  const troubled = event.type === "retry" || event.type === "drift";
  const level = troubled || (event.type === "end" && !event.ok) ? "warn" : "debug";
  return logger[level]?.(message, event);
}

/** Runs an observer. Its exceptions and rejections never make the call fail. */
function harmlessly(observe: () => unknown, onError: (error: unknown) => void = () => {}): void {
  try {
    const result = observe();
    if (result instanceof Promise) result.catch(onError);
  } catch (error) {
    onError(error);
  }
}
