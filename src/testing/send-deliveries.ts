import { checkOptionNames, isFunction } from "../values.ts";
import { checkOption, isPositiveInteger } from "../webhooks/options.ts";
import {
  type Disturbance,
  type DisturbedDelivery,
  disturbanceNames,
  disturbDeliveries,
  type Sendable,
} from "./disturb-deliveries.ts";

/** The options of `sendDeliveries`. */
export interface SendOptions extends Disturbance {
  /** How many may be in flight at once. Default: 1, so that each is answered before the next is sent. */
  readonly atOnce?: number | undefined;
  /** Waits for a delay. Default: a timer. Or pass a function that advances your test's clock. */
  readonly sleep?: ((ms: number) => unknown) | undefined;
  /** Called as `fetch(url, init)`. Default: the global fetch. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** A delivery that was sent, and the status of its response. */
export interface SentDelivery extends DisturbedDelivery {
  readonly status: number;
}

/**
 * Sends deliveries to a URL under bad conditions: duplicated, reordered, delayed, with forged copies among them, in the
 * same way for the same seed. Returns them in the order in which they were sent.
 *
 * Rejects if one of them gets no response.
 *
 * @throws {ConfigurationError} when an option is unknown or out of range.
 * @example
 * ```ts
 * const deliveries = ["order_1", "order_2"].map((orderId) =>
 *   signedDelivery({ secret, event: { event: "payment.updated", data: { status: "completed", orderId } } }),
 * );
 * const disturbance = { seed: 7, duplicate: 0.5, reorder: true, tamper: 0.5 };
 * const sent = await sendDeliveries("http://127.0.0.1:3000/webhooks", deliveries, disturbance);
 * for (const { tampered, status } of sent) assert.equal(status, tampered ? 401 : 200);
 * ```
 */
export async function sendDeliveries(
  url: string | URL,
  deliveries: readonly Sendable[],
  options: SendOptions,
): Promise<SentDelivery[]> {
  checkOptionNames(options, [...disturbanceNames, "atOnce", "sleep", "fetch"]);
  const { atOnce = 1, sleep = timer, fetch = globalThis.fetch, ...disturbance } = options;
  checkOption("atOnce", isPositiveInteger(atOnce), "a whole number above 0");
  checkOption("sleep", isFunction(sleep), "a function that takes milliseconds");
  checkOption("fetch", isFunction(fetch), "a function like fetch");
  const sent: Promise<SentDelivery>[] = [];
  const inFlight = new Set<Promise<unknown>>();
  let elapsedMs = 0;
  for (const delivery of disturbDeliveries(deliveries, disturbance)) {
    // Wait for a free slot before the delay, so that the receiver is called at the delivery's time on the test's clock.
    while (inFlight.size >= atOnce) await Promise.race(inFlight);
    if (delivery.delayMs > elapsedMs) await sleep(delivery.delayMs - elapsedMs);
    elapsedMs = delivery.delayMs;
    const answer = send(String(url), delivery, fetch);
    sent.push(answer);
    inFlight.add(answer);
    const forget = () => inFlight.delete(answer);
    answer.then(forget, forget);
  }
  return Promise.all(sent);
}

async function send(
  url: string,
  delivery: DisturbedDelivery,
  fetch: NonNullable<SendOptions["fetch"]>,
): Promise<SentDelivery> {
  const { body, headers } = delivery;
  const response = await fetch(url, { method: "POST", headers, body });
  // Read completely, so that the connection is reused.
  await response.arrayBuffer();
  return { ...delivery, status: response.status };
}

function timer(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
