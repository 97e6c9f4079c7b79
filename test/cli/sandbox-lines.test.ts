import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { isOpenRequest, printEvent, requestsFirst } from "../../src/cli/sandbox-lines.ts";
import { createTerminal } from "../../src/cli/terminal.ts";
import type { SandboxEvent } from "../../src/sandbox/index.ts";

const basics = { at: "2026-01-01T00:00:00.000Z" };
const request = {
  ...basics,
  type: "request",
  requestId: "r",
  method: "GET",
  path: "/ü",
  status: 200,
  outcome: "answered",
} as const;
const attempt = {
  ...basics,
  type: "webhook.attempted",
  deliveryId: "d",
  event: "payment.created",
  subjectId: "p",
  orderId: "order_1",
  attempt: 1,
  status: 200,
  error: null,
  disorder: null,
  nextAttemptAt: null,
} as const;
const change = {
  ...basics,
  type: "payment.expired",
  eventId: "e",
  event: "payment.updated",
  paymentId: "p",
  orderId: "order_1",
  status: "expired",
  requestId: null,
  clockSequence: null,
} as const;

const cause = { ...basics, requestId: null, clockSequence: null };
const confirmation = {
  ...change,
  type: "payment.moved",
  status: "processing",
  eventId: null,
  event: null,
} as const;

/** The printed line, with `<red ...>` for a colour and without the time; undefined if other lines imply it. */
function lineOf(event: SandboxEvent): string | undefined {
  vi.stubEnv("FORCE_COLOR", "1");
  const stderr = new PassThrough();
  printEvent(event, createTerminal({ stdout: new PassThrough(), stderr }).report);
  vi.unstubAllEnvs();
  const names: Record<string, string> = { 1: "bold", 31: "red", 32: "green", 33: "yellow" };
  return stderr
    .read()
    ?.toString()
    .trimEnd()
    .replace(/\p{Cc}\[2m[\d:]+\p{Cc}\[22m/u, "")
    .replace(/\p{Cc}\[(\d+)m(.*?)\p{Cc}\[\d+m/gu, (_: string, code: string, text: string) => {
      return `<${names[code]} ${text}>`;
    });
}

test("a request is printed before its changes, and everything else as it happens", () => {
  const open = { ...request, sequence: 1, status: null, outcome: "open" } as const;
  const created = { ...change, sequence: 2, requestId: "r" };
  const expired = { ...change, sequence: 3 };
  const ended = { ...request, sequence: 1 };
  const cutOff = { ...ended, outcome: "cut off" } as const;
  // The request took effect after its client had left.
  const late = { ...change, sequence: 4, requestId: "r" };
  const read: SandboxEvent[] = [];
  const tell = requestsFirst((event) => read.push(event));
  for (const event of [open, created, expired, ended, late, cutOff]) tell(event);
  expect(read).toEqual([expired, ended, created, late, cutOff]);
  expect([open, ended, created].map(isOpenRequest)).toEqual([true, false, false]);
});

test("a reset discards changes that wait for their request", () => {
  const read: SandboxEvent[] = [];
  const tell = requestsFirst((event) => read.push(event));
  const open = { ...request, sequence: 1, status: null, outcome: "open" } as const;
  tell(open);
  tell({ ...change, sequence: 2, requestId: "r" });
  tell({ type: "reset" });
  tell({ ...request, sequence: 1 });
  expect(read).toEqual([{ type: "reset" }, { ...request, sequence: 1 }]);
});

test("each event prints one line for people", () => {
  const quotes = {
    type: "quotes.expired",
    paymentId: "p",
    orderId: "order_1",
    quoteIds: ["q"],
  } as const;
  const lines = [
    { ...request, sequence: 1 },
    { ...request, sequence: 1, status: 503 },
    { ...change, sequence: 2 },
    { ...attempt, sequence: 3 },
    {
      ...attempt,
      sequence: 4,
      attempt: 2,
      status: 302,
      nextAttemptAt: "2026-01-01T00:02:30.000Z",
    },
    { ...attempt, sequence: 5, attempt: 3, status: null, error: "refused" },
    { ...attempt, sequence: 6, status: 401, disorder: "wrong-secret" } as const,
    { ...request, sequence: 7, status: null, outcome: "unanswered" } as const,
    { ...request, sequence: 8, outcome: "cut off" } as const,
    { ...basics, sequence: 9, type: "clock.advanced", until: "2026-01-01T00:15:00.000Z" } as const,
    { ...cause, ...quotes, sequence: 10 } as const,
    { ...confirmation, sequence: 11, confirmations: 4, requiredConfirmations: 10 } as const,
    { type: "reset" } as const,
  ].map(lineOf);
  expect(lines).toEqual([
    "  GET /ü  <green 200>",
    "  GET /ü  <red 503>",
    "  → payment.updated  <bold expired>  order_1  p",
    "  webhook payment.created  <green 200>  p",
    "  webhook payment.created  <red 302>  attempt 2  p  next attempt at 2026-01-01T00:02:30.000Z",
    "  webhook payment.created  <red refused>  attempt 3  p",
    "  webhook payment.created  <red 401>  <yellow wrong-secret>  p",
    "  GET /ü  <red connection broken>",
    "  GET /ü  <red cut off during the response>",
    "  clock advanced to 2026-01-01T00:15:00.000Z",
    "  → quotes expired  p",
    "  → 4 of 10 confirmations  p",
    "  sandbox reset: everything before this is gone",
  ]);
  const { deliveryId, event, subjectId, orderId } = attempt;
  const webhook = { ...basics, deliveryId, event, subjectId, orderId };
  const recorded = { ...webhook, type: "webhook.created", eventId: "e", sequence: 6 } as const;
  expect(lineOf(recorded)).toBeUndefined();
});
