import { SettlekitError } from "../errors.ts";
import type { Operation } from "../wire/operation.ts";
import { ApiPromise } from "./answer.ts";
import { makeCall, type Shared, sharedBy } from "./call.ts";
import { answerFacts, type EndEvent, type EventFacts, notify, type Observer } from "./events.ts";
import { Paces } from "./pace.ts";
import type { CallInput } from "./request.ts";
import type { CredentialSource, HttpSettings, RequestOptions } from "./settings.ts";
import { realTime, type Time } from "./time.ts";

/** Makes the calls of one client, and notifies observers. */
export class Http {
  readonly settings: HttpSettings;
  /** For waits between calls. */
  readonly time: Time;
  readonly #shared: Shared;

  constructor(settings: HttpSettings, time = realTime, shared = sharedBy(settings, time)) {
    this.settings = settings;
    this.time = time;
    this.#shared = shared;
  }

  /** The same client with another credential, sharing its limits and retry budget. */
  withCredential(credential: CredentialSource): Http {
    return new Http({ ...this.settings, credential }, this.time, this.#shared);
  }

  /** For calls made by a call that already holds a slot: waiting for another slot could deadlock. */
  unqueued(): Http {
    const limits = { paces: new Paces(this.time), limit: undefined };
    return new Http(this.settings, this.time, { ...this.#shared, ...limits });
  }

  /** Adds an observer of the calls that begin from now on. The returned function removes it. */
  observe(observer: Observer): () => void {
    this.#shared.observers.add(observer);
    return () => void this.#shared.observers.delete(observer);
  }

  /** The service's time in milliseconds since 1970, according to its latest response. */
  serviceNow(): number {
    return this.#shared.serviceClock.now();
  }

  /**
   * Calls an operation. An input given as a function runs inside the promise, so that a refused argument rejects the
   * promise instead of throwing synchronously.
   */
  call<T>(
    operation: Operation<T>,
    input: CallInput<NoInfer<T>> | (() => CallInput<NoInfer<T>>),
    options: RequestOptions = {},
  ): ApiPromise<T> {
    const { settings, time } = this;
    const observers = new Set(this.#shared.observers);
    const { name, method, path } = operation;
    const callId = ++this.#shared.calls.count;
    const startedAt = time.now();
    let attempts = 0;
    const emit = (event: EventFacts) => {
      if (event.type === "attempt") attempts = event.attempt;
      if (observers.size === 0 && !settings.channel?.hasSubscribers) return;
      notify({ callId, operation: name, ...event }, observers, settings.channel);
    };
    const end = (facts: Omit<EventFacts<EndEvent>, "type" | "durationMs" | "attempts">) =>
      emit({ type: "end", durationMs: time.now() - startedAt, attempts, ...facts });

    const run = async () => {
      emit({ type: "start", method, path });
      try {
        const filled = typeof input === "function" ? input() : input;
        const call = { ...this.#shared, settings, observers, callId, emit };
        const response = await makeCall(call, operation, filled, options);
        end({ ok: true, ...answerFacts(response) });
        return response;
      } catch (error) {
        if (SettlekitError.is(error)) {
          const { code, outcome } = error;
          end({ ok: false, error: error.name, code, outcome, ...answerFacts(error) });
        } else end({ ok: false, error: "Error" });
        throw error;
      }
    };
    return new ApiPromise(run(), name);
  }
}
