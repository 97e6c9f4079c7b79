import { SettlekitError } from "../errors.ts";
import { ApiPromise, type ApiResponse } from "./answer.ts";
import { Call, type Shared } from "./call.ts";
import { type ClientEvent, type EndEvent, notify, type Observer } from "./events.ts";
import { idempotencyKeyFrom } from "./idempotency.ts";
import { Concurrency, Paces, RetryBudget } from "./pace.ts";
import { askForCredential, type Callable, type CallInput } from "./request.ts";
import { Sender } from "./send.ts";
import type { CredentialSource, HttpSettings, RequestOptions } from "./settings.ts";
import { realTime, ServiceClock, type Time } from "./time.ts";

/** Makes the calls of one client, and notifies observers. */
export class Http {
  readonly #shared: Shared;

  constructor(settings: HttpSettings, time: Time = realTime, shared?: Shared) {
    this.#shared = shared ?? {
      settings,
      sender: new Sender(settings),
      time,
      paces: new Paces(time),
      concurrency: new Concurrency(settings.maxConcurrency),
      budget: new RetryBudget(time),
      serviceClock: new ServiceClock(time),
      calls: { count: 0 },
      listeners: {
        onEvent: settings.onEvent,
        logger: settings.logger,
        observers: new Set(),
        channel: settings.channel,
      },
    };
  }

  /** The same client with another credential, within the same limits and budget. */
  withCredential(credential: CredentialSource): Http {
    const settings = { ...this.#shared.settings, credential };
    return new Http(settings, this.#shared.time, { ...this.#shared, settings });
  }

  /** For calls within the turn of another call, which must not wait for a turn themselves. */
  unqueued(): Http {
    const { settings, time } = this.#shared;
    const concurrency = new Concurrency(Number.POSITIVE_INFINITY);
    return new Http(settings, time, { ...this.#shared, paces: new Paces(time), concurrency });
  }

  /** Adds an observer. Call what it returns to remove it. */
  observe(observer: Observer): () => void {
    const { observers } = this.#shared.listeners;
    observers.add(observer);
    return () => void observers.delete(observer);
  }

  get settings(): HttpSettings {
    return this.#shared.settings;
  }

  /** For waits between calls. */
  get time(): Time {
    return this.#shared.time;
  }

  /**
   * A key for something of this client's merchant: equal for clients with the same base URL, namespace and credential, and
   * revealing none of them.
   */
  async accountKey(operation: string, name: string): Promise<string> {
    const { settings, time } = this.#shared;
    const { baseUrl, idempotencyNamespace, credential, deadlineMs } = settings;
    const facts = () => ({ operation, attempts: 0, outcome: "not_sent" }) as const;
    const asking = { limitMs: deadlineMs, signal: undefined, facts };
    // The call itself reports a credential that does not come in time.
    const secret = (await askForCredential(credential, time, asking)) ?? "none";
    return idempotencyKeyFrom(baseUrl, idempotencyNamespace, secret, name);
  }

  /** The service's time in milliseconds since 1970, by its latest answer. */
  serviceNow(): number {
    return this.#shared.serviceClock.now();
  }

  /**
   * Calls an operation. An input given as a function is computed inside the promise, so that a
   * refused argument rejects it instead of throwing at the caller.
   */
  call<T>(
    operation: Callable<T>,
    input: CallInput | (() => CallInput),
    options: RequestOptions = {},
  ): ApiPromise<T> {
    return new ApiPromise(this.#observed(operation, input, options));
  }

  async #observed<T>(
    operation: Callable<T>,
    input: CallInput | (() => CallInput),
    options: RequestOptions,
  ): Promise<ApiResponse<T>> {
    const { time, listeners } = this.#shared;
    const { name, method, path } = operation;
    const callId = ++this.#shared.calls.count;
    const startedAt = time.now();
    const { onEvent, logger, observers, channel } = listeners;
    const isHeard = onEvent || logger || observers.size > 0 || channel?.hasSubscribers;
    const emit = isHeard ? (event: ClientEvent) => notify(event, listeners) : unobserved;
    const end = (facts: Omit<EndEvent, "type" | "callId" | "operation" | "durationMs">) =>
      emit({ type: "end", callId, operation: name, durationMs: time.now() - startedAt, ...facts });

    emit({ type: "start", callId, operation: name, method, path });
    try {
      const filled = typeof input === "function" ? input() : input;
      const call = new Call(this.#shared, operation, filled, options, callId, emit);
      const response = await call.run();
      const { attempts, status, requestId } = response;
      end({ ok: true, attempts, status, ...(requestId !== undefined && { requestId }) });
      return response;
    } catch (error) {
      end({ ok: false, ...endFacts(error) });
      throw error;
    }
  }
}

function unobserved(): void {}

function endFacts(error: unknown): Pick<EndEvent, "attempts" | "error" | "code" | "outcome"> {
  if (!SettlekitError.is(error)) return { attempts: 0 };
  const { name, code, outcome, attempts = 0, requestId, status } = error;
  return {
    attempts,
    error: name,
    code,
    outcome,
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
  };
}
