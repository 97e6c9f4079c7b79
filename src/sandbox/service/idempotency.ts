import { hash } from "node:crypto";
import { canonicalJson, invalidOption, show } from "../../values.ts";
import { idempotencyKeyHeader } from "../../wire/credential.ts";
import type { Operation } from "../../wire/operation.ts";
import type { Core } from "../core.ts";
import { answerOperation, type Middleware, Refusal } from "./answers.ts";

/** How long a key identifies a request (interface section 8). */
const idempotencyWindowMs = 24 * 3_600_000;

/** How the service treats a repeated Idempotency-Key on withdrawals, which is not documented. */
export type WithdrawalIdempotency = "ignored" | "honoured" | "conflict";

interface Kept {
  /** Milliseconds since 1970. */
  readonly usedMs: number;
  readonly fingerprint: string;
  /** The body of the response. */
  readonly answer: string;
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

export function createIdempotencyStore({ clock, store }: Core) {
  // Far more than a test or a day's work needs. Dropped keys count as never used.
  const kept = store.table<Kept>("idempotency keys", { limit: 100_000 });
  const ofWithdrawals = store.cell<WithdrawalIdempotency>("withdrawal idempotency", "ignored");

  return {
    /**
     * Middleware that repeats the response to the first request with the same key. Does not store errors (assumed: a
     * client may correct the error and reuse the key).
     *
     * @throws {Refusal} 409 when the key may not be reused, or was used with a different body.
     */
    once(operation: Operation<unknown>): Middleware {
      const { name, replay } = operation;
      return async (c, next) => {
        const key = c.req.header(idempotencyKeyHeader);
        if (!key) return next();
        const { merchant, json } = c.var;
        // Each operation has its own keys.
        const id = JSON.stringify([merchant.merchantId, name, key]);
        const fingerprint = fingerprintOf(json);
        const earlier = kept.get(id);
        // Keys that are too old stay stored until the limit drops them, or until they are used again.
        if (!earlier || clock.nowMs() - earlier.usedMs >= idempotencyWindowMs) {
          // Operations run before next() returns its promise: key and objects are stored together, and a simultaneous
          // request with the same key finds them.
          const performed = next();
          const { answer } = c.var;
          if (c.error === undefined) {
            // Otherwise it would keep its old place, and be dropped early.
            kept.delete(id);
            kept.set(id, { usedMs: clock.nowMs(), fingerprint, answer });
          }
          return performed;
        }
        const repetition = replay === "keyed" ? "honoured" : ofWithdrawals.get();
        if (repetition === "ignored") return next();
        if (repetition === "conflict") {
          throw conflict(
            "This Idempotency-Key belongs to a request that is in progress or complete.",
          );
        }
        if (earlier.fingerprint === fingerprint)
          return answerOperation(c, operation, earlier.answer);
        throw conflict("This Idempotency-Key was already used with different parameters.");
      };
    },
    ofWithdrawals: ofWithdrawals.get,
    /** @throws {ConfigurationError} code `invalid_withdrawal_idempotency`. */
    setOfWithdrawals(value: WithdrawalIdempotency): void {
      const known: readonly WithdrawalIdempotency[] = ["ignored", "honoured", "conflict"];
      if (!known.includes(value)) {
        const message = `withdrawalIdempotency must be one of ${known.join(", ")}, got ${show(value)}.`;
        throw invalidOption("withdrawalIdempotency", message, "invalid_withdrawal_idempotency");
      }
      ofWithdrawals.set(value);
    },
  };
}

function conflict(message: string) {
  return new Refusal(409, { code: "idempotency_conflict", message });
}

/** @throws {Refusal} 400. */
function fingerprintOf(json: object): string {
  try {
    return hash("sha256", canonicalJson(json), "base64");
  } catch {
    // The only reason: it exhausts the stack.
    const message = "The body is nested too deeply. Send the documented fields only.";
    throw new Refusal(400, { code: "invalid_request", message });
  }
}
