import pLimit from "p-limit";
import { SettlekitError } from "../errors.ts";
import { ApiPromise } from "./answer.ts";
import { type Emit, makeCall, type Shared, sharedBy } from "./call.ts";
import { type EndEvent, type EventFacts, notify, type Observer } from "./events.ts";
import { Paces } from "./pace.ts";
import type { Callable, CallInput } from "./request.ts";
import type { CredentialSource, HttpSettings, RequestOptions } from "./settings.ts";
import { realTime, type Time } from "./time.ts";

/** Makes the calls of one client, and notifies observers. */
export class Http {
  readonly #shared: Shared;

  constructor(settings: HttpSettings, time = realTime, shared = sharedBy(settings, time)) {
    this.#shared = { ...shared, settings };
  }

  /** The same client with another credential, sharing its limits and retry budget. */
  withCredential(credential: CredentialSource): Http {
    return new Http({ ...this.settings, credential }, this.time, this.#shared);
  }

  /** For calls made by a call that already has its turn: waiting for another turn could deadlock. */
  unqueued(): Http {
    const limits = { paces: new Paces(this.time), limit: pLimit(Number.POSITIVE_INFINITY) };
    return new Http(this.settings, this.time, { ...this.#shared, ...limits });
  }

  /** Adds an observer. Call what it returns to remove it. */
  observe(observer: Observer): () => void {
    const { observers } = this.#shared;
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

  /** The service's time in milliseconds since 1970, by its latest answer. */
  serviceNow(): number {
    return this.#shared.serviceClock.now();
  }

  /**
   * Calls an operation. An input given as a function runs inside the promise, so that a refused argument rejects the
   * promise instead of throwing synchronously.
   */
  call<T>(
    operation: Callable<T>,
    input: CallInput<NoInfer<T>> | (() => CallInput<NoInfer<T>>),
    options: RequestOptions = {},
  ): ApiPromise<T> {
    const { time, observers } = this.#shared;
    const { name, method, path } = operation;
    const callId = ++this.#shared.calls.count;
    const startedAt = time.now();
    const emit: Emit = (event) => notify({ callId, operation: name, ...event }, observers);
    const end = (facts: Omit<EventFacts<EndEvent>, "type" | "durationMs">) =>
      emit({ type: "end", durationMs: time.now() - startedAt, ...facts });

    const run = async () => {
      emit({ type: "start", method, path });
      try {
        const filled = typeof input === "function" ? input() : input;
        const response = await makeCall(this.#shared, operation, filled, options, callId, emit);
        const { attempts, status, requestId } = response;
        end({ ok: true, attempts, status, ...(requestId !== undefined && { requestId }) });
        return response;
      } catch (error) {
        // A refused argument does not know whose it is.
        if (SettlekitError.is(error) && error.operation === undefined) {
          Object.assign(error, { operation: name, attempts: 0 });
        }
        end({ ok: false, ...endFacts(error) });
        throw error;
      }
    };
    return new ApiPromise(run());
  }
}

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
