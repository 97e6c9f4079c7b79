// Longer than 300 lines: all safeguards but those of checkout, inbox and payouts are listed in one place.

import { checkoutMutants } from "./checkout/mutants.ts";
import { inboxMutants } from "./inbox/mutants.ts";
import { payoutMutants } from "./payouts/mutants.ts";

/** A safeguard that is removed from the source, and the test that must notice. */
export interface Mutant {
  /** The resulting fault, as a sentence without a full stop. */
  readonly name: string;
  readonly file: string;
  /** Every occurrence is replaced. */
  readonly find: string;
  readonly replace: string;
  /** The test file that fails. */
  readonly test: string;
  /** Part of the title of the test that fails, if the file has slow tests. */
  readonly title?: string;
}

/** The rules that protect money and trust. `npm run check:mutants` shows that a test fails without each of them. */
export const mutants: readonly Mutant[] = [
  {
    name: "reads may be answered from a cache",
    file: "src/http/send.ts",
    find: 'return takesCacheMode ? { cache: "no-store" } : {};',
    replace: "return {};",
    test: "test/http/send.test.ts",
  },
  {
    name: "an early end of the list proves that there is none",
    file: "src/resources/lists/find-by-order-id.ts",
    find: "return this.#hasMore === false && this.ids.size < this.#total;",
    replace: "return false;",
    test: "test/resources/lists/complete-lookup.test.ts",
  },
  {
    name: "a list without hasMore is complete",
    file: "src/resources/lists/find-by-order-id.ts",
    find: 'if (this.#hasMore !== false) return "pagination.hasMore is missing or not a boolean";',
    replace: "",
    test: "test/resources/lists/complete-lookup.test.ts",
  },
  {
    name: "createdAfter has no margin for clocks",
    file: "src/resources/lists/find-by-order-id.ts",
    find: "const clockMarginMs = 300_000;",
    replace: "const clockMarginMs = 0;",
    test: "test/resources/lists/complete-lookup.test.ts",
  },
  {
    name: "createOnce sends again after a 429 without a lookup",
    file: "src/resources/payouts/create-once.ts",
    find: "const isLater = !reached || lookedAt > sentAt;",
    replace: "const isLater = true;",
    test: "test/resources/payouts/create-once-again.test.ts",
  },
  {
    name: "a lookup right after a 429 proves that there is none",
    file: "src/resources/payouts/create-once.ts",
    find: "if (!found && time.now() < settledAt)",
    replace: "if (false)",
    test: "test/resources/payouts/create-once-again.test.ts",
  },
  {
    name: "createOnce sends after a long wait without a lookup",
    file: "src/resources/payouts/create-once.ts",
    find: "const freshMs = 1_000;",
    replace: "const freshMs = Number.POSITIVE_INFINITY;",
    test: "test/resources/payouts/create-once-again.test.ts",
  },
  {
    name: "a proxy's 403 rejects a creation",
    file: "src/http/policy.ts",
    find: "if (isFromService && rejections.has(status))",
    replace: "if (rejections.has(status))",
    test: "test/http/send.test.ts",
  },
  {
    name: "a redirect rejects a creation",
    file: "src/http/policy.ts",
    find: 'outcome: replay === "safe" ? "rejected" : "unknown"',
    replace: 'outcome: "rejected"',
    test: "test/http/policy.test.ts",
  },
  {
    name: "createOnce forgets what it created",
    file: "src/resources/payouts/recent-payouts.ts",
    find: "const rememberedMs = 600_000;",
    replace: "const rememberedMs = 0;",
    test: "test/resources/payouts/recent-payouts.test.ts",
  },
  {
    name: "an orderId with outer white space is sent",
    file: "src/resources/payouts/payout.ts",
    find: 'if (orderId.trim() !== orderId) return "This text begins or ends with white space: trim it.";',
    replace: "",
    test: "test/resources/payouts/answer-and-request.test.ts",
  },
  {
    name: "the response to a creation is not compared with the request",
    file: "src/http/answer.ts",
    find: "const differing = input.differing?.(data) ?? [];",
    replace: "const differing: string[] = [];",
    test: "test/resources/payouts/answer-and-request.test.ts",
  },
  {
    name: "the failure of a custom fetch proves that nothing was sent",
    file: "src/http/send.ts",
    find: "readNetworkError(error, customFetch && new URL(baseUrl))",
    replace: "readNetworkError(error)",
    test: "test/money-safety/custom-fetch.test.ts",
  },
  {
    name: "Deno repeats a creation by itself",
    file: "src/http/send.ts",
    find: "mayResend ? sentOnce(init, check, runtime) : init",
    replace: "init",
    test: "test/http/repeating-fetch.test.ts",
  },
  {
    name: "Node repeats a withdrawal by itself after a 421",
    file: "src/http/request.ts",
    find: "/^(bun|deno|node)",
    replace: "/^(bun|deno)",
    test: "test/http/repeating-fetch.test.ts",
  },
  {
    name: "a dispatcher that fails to connect at its second attempt has sent nothing",
    file: "src/http/send.ts",
    find: 'isWritten ? "connection" : kind',
    replace: "kind",
    test: "test/http/repeating-fetch.test.ts",
  },
  {
    name: "a suspended process sends the body once it is connected",
    file: "src/http/request.ts",
    find: "chunks < 4",
    replace: "chunks < 0",
    test: "test/http/repeating-fetch.test.ts",
  },
  {
    name: "a hook that returns the service's response replaces it",
    file: "src/http/hooks.ts",
    find: '"response" in state && given === state.response',
    replace: "false",
    test: "test/http/hooks-and-bodies.test.ts",
  },
  {
    name: "aborted calls keep their slots",
    file: "src/http/call.ts",
    find: "if (signal?.aborted) pace.release();",
    replace: "if (signal?.aborted) continue;",
    test: "test/http/void-slot.test.ts",
  },
  {
    name: "Bun sends withdrawals on connections that it reuses, and sends them again when one breaks",
    file: "src/http/request.ts",
    find: "/^(bun|deno|node)",
    replace: "/^(deno|node)",
    test: "test/http/repeating-fetch.test.ts",
  },
  {
    name: "calls that wait for their pace take up concurrency",
    file: "src/http/call.ts",
    find: "await inPace();\n      const { turn, leave } = enter(limit);\n      try {",
    replace: "const { turn, leave } = enter(limit);\n      try {\n        await inPace();",
    test: "test/http/concurrency.test.ts",
  },
  {
    name: "prefetched pages are read to the end after the loop has ended",
    file: "src/resources/lists/page.ts",
    find: "turn = turn.then(leave);",
    replace: "",
    test: "test/resources/lists/page.test.ts",
  },
  {
    name: "a rotated key counts as another account",
    file: "src/resources/payouts/once-per-order.ts",
    find: 'credential.provider ? named("provider", idOf(credential.provider)) : ""',
    replace: '""',
    test: "test/resources/payouts/create-once-rotation.test.ts",
  },
  {
    name: "a response about another payment is accepted",
    file: "src/resources/arguments.ts",
    find: "String(received).toLowerCase() === asked.toLowerCase()",
    replace: "true",
    test: "test/resources/other-objects.test.ts",
  },
  {
    name: "metadata loses digits before it is compared",
    file: "src/resources/payouts/payout.ts",
    find: "JSON.parse(metadata, keepDigits)",
    replace: "JSON.parse(metadata)",
    test: "test/resources/payouts/answer-and-request.test.ts",
  },
  {
    name: "an abort before the request does not stop it",
    file: "src/http/send.ts",
    find: "      // The attempt may have ended during a hook. Then it must not be sent.\n      signal.throwIfAborted();\n",
    replace: "",
    test: "test/http/send.test.ts",
  },
  {
    name: "a hook's own Request is sent after its attempt has failed",
    file: "src/http/hooks.ts",
    find: "given && endingWith(given, signal)",
    replace: "given",
    test: "test/http/hooks-and-bodies.test.ts",
  },
  {
    name: "a tiny Retry-After is obeyed",
    file: "src/http/policy.ts",
    find: "export const leastRetryAfterMs = 250;",
    replace: "export const leastRetryAfterMs = 0;",
    test: "test/http/policy.test.ts",
  },
  {
    name: "one credential's pause delays the others",
    file: "src/http/pace.ts",
    find: "const pace = this.#paces.get(account) ?? new Pace(this.#time);",
    replace: "const [pace = new Pace(this.#time)] = this.#paces.values();",
    test: "test/http/shared-limits.test.ts",
  },
  {
    name: "the error of a wait does not name the last status",
    file: "src/resources/waiting.ts",
    find: "facts.lastStatus = status;",
    replace: "status;",
    test: "test/resources/waits-that-end.test.ts",
  },
  {
    name: "integers beyond 2^53 are not drift",
    file: "src/http/answer.ts",
    find: "if (Number.isInteger(value) && !Number.isSafeInteger(value)) paths.push(path);",
    replace: "",
    test: "test/http/drift.test.ts",
  },
  {
    name: "an old Node is not refused",
    file: "src/runtime.ts",
    find: 'if (problem) throw new ConfigurationError(problem, { code: "unsupported_platform" });',
    replace: "",
    test: "test/runtime.test.ts",
  },
  {
    name: "a merchant key may be used in a page",
    file: "src/runtime.ts",
    find: "if (window === undefined || document === undefined) return;",
    replace: "return;",
    test: "test/runtime.test.ts",
  },
  {
    name: "a webhook's body is read before its headers are checked",
    file: "src/webhooks/delivery.ts",
    find: "  const claims = checkedClaims(headers, settings);\n",
    replace:
      "  const early = await readBody(maxBodyBytes, new AbortController().signal);\n  const claims = checkedClaims(headers, settings);\n  if (early === undefined) return undefined;\n",
    test: "test/webhooks/body-limits.test.ts",
  },
  {
    name: "a slow body is answered with 500 instead of 408",
    file: "src/webhooks/delivery.ts",
    find: 'late.abort(new WebhookVerificationError("body_timeout", message));',
    replace: "late.abort(new Error(message));",
    test: "test/webhooks/body-limits.test.ts",
  },
  {
    name: "refused deliveries are not logged by default",
    file: "src/webhooks/receiver.ts",
    find: "if (logger || !onError) await log(",
    replace: "if (logger) await log(",
    test: "test/webhooks/logging.test.ts",
  },
  {
    name: "a misspelt event name is not noticed",
    file: "src/webhooks/receiver.ts",
    find: "if (problem !== undefined) void log(",
    replace: "if (problem === undefined) void log(",
    test: "test/webhooks/logging.test.ts",
  },
  {
    name: "part of a truncated credential shows",
    file: "src/http/request.ts",
    find: "const tellingAtEnd = 6;",
    replace: "const tellingAtEnd = 12;",
    test: "test/http/redaction.test.ts",
  },
  {
    name: "a response may have any size",
    file: "src/http/send.ts",
    find: "if (bytes > maxBytes) throw new TooLargeError();",
    replace: "",
    test: "test/http/send.test.ts",
  },
  {
    name: "any error of a custom fetch counts as a network failure",
    file: "src/http/send.ts",
    find: "if (customFetch && !isNetworkError(error) && !hasNetworkCode(error)) {",
    replace: "if (hasNetworkCode(undefined)) {",
    test: "test/http/send.test.ts",
  },
  {
    name: "the sandbox's data file may be read by anyone",
    file: "src/sandbox/state/data-file.ts",
    find: "const ownerOnly = 0o600;",
    replace: "const ownerOnly = 0o644;",
    test: "test/sandbox/state/data-file.test.ts",
  },
  {
    name: "misspelt call options are ignored",
    file: "src/http/call.ts",
    find: "checkOptions(callSchema, given)",
    replace: "given",
    test: "test/resources/wrong-names.test.ts",
  },
  {
    name: "a web page's request uses up a fault",
    file: "src/sandbox/service/app.ts",
    find: 'const isStray = isFromWebPage(c.req) && callerOf(c.req.raw.headers, headerPrefix) === "";',
    replace: "const isStray = false;",
    test: "test/sandbox/faults/faults.test.ts",
  },
  {
    name: "isPaid and isFinal accept a payment as a status",
    file: "src/wire/payment-status.ts",
    find: 'if (typeof status === "string") return paidStatuses.has(status);',
    replace: "return paidStatuses.has(status);",
    test: "test/wire/payment-status.test.ts",
  },
  {
    name: "a live key may go over plain http",
    file: "src/http/base-url.ts",
    find: 'return protocol === "http:" && (allowHttp || isLoopback(hostname));',
    replace: 'return protocol === "http:";',
    test: "test/options.test.ts",
  },
  {
    name: "a frozen clock is not named as the cause of a timestamp out of tolerance",
    file: "src/webhooks/delivery.ts",
    find: "If a sandbox with a frozen clock sent it, pass now: sandbox.clock.now. ",
    replace: "",
    test: "test/webhooks/timestamp.test.ts",
  },
  {
    name: "the sandbox does not say when it delivers again",
    file: "src/cli/sandbox-lines.ts",
    find: "event.nextAttemptAt ? `",
    replace: "!event.nextAttemptAt ? `",
    test: "test/cli/sandbox-lines.test.ts",
  },
  {
    name: "one odd field changes the others",
    file: "src/wire/fields.ts",
    find: 'if (def.type === "object" && isRecord(value)) {',
    replace: 'if (def.type === "object" && isRecord(value) && safeParse(schema, value).success) {',
    test: "test/wire/reading.test.ts",
  },
  ...checkoutMutants,
  ...inboxMutants,
  ...payoutMutants,
];
