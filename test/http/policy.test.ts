import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, type Failure, type Situation } from "../../src/http/policy.ts";

const answered = (status: number, retryAfterMs?: number, isFromService = true): Failure => ({
  kind: "status",
  status,
  facts: { body: "" },
  isFromService,
  retryAfterMs,
  requestId: undefined,
});
const unreachable: Failure = { kind: "unreachable", code: "ECONNREFUSED", detail: "" };
const tls: Failure = { kind: "tls", code: "CERT_HAS_EXPIRED", detail: "" };
const notTaken: Failure = { kind: "not_taken", code: "UND_ERR_INVALID_ARG", detail: "" };
const broken: Failure = { kind: "connection", code: "ECONNRESET", detail: "" };
const late: Failure = { kind: "timeout", limit: "timeoutMs", ms: 30_000 };
const aborted: Failure = { kind: "aborted", reason: undefined };
const unreadable: Failure = { kind: "unreadable", status: 200, text: "", requestId: undefined };
const tooLarge: Failure = { kind: "too_large", status: 200, maxBytes: 1, requestId: undefined };
const failedHook = (wasSent: boolean): Failure => ({
  kind: "custom_code",
  option: "hooks",
  fact: "A hook threw.",
  wasSent,
  cause: undefined,
});
const redirect = (status: number): Failure => ({
  kind: "redirect",
  status,
  origin: undefined,
  requestId: undefined,
});

const situation = (changes: Partial<Situation> & Pick<Situation, "failure">): Situation => ({
  replay: "safe",
  attempt: 1,
  unknownBefore: false,
  retries: 0,
  maxRetries: 3,
  remainingMs: 90_000,
  budgetLeft: true,
  mayRenew: false,
  random: 0.5,
  ...changes,
});

test("an expired token is renewed, but not for a withdrawal that a proxy refused", () => {
  const action = (isFromService: boolean, replay: Situation["replay"], changes = {}) => {
    const failure = answered(401, undefined, isFromService);
    return decide(situation({ failure, replay, mayRenew: true, ...changes })).action;
  };
  expect(action(true, "unsafe")).toBe("renew");
  expect(action(false, "safe")).toBe("renew");
  expect(action(false, "unsafe")).toBe("stop");
  expect(action(true, "unsafe", { maxRetries: 0 })).toBe("stop");
});

describe("the decision after a failure", () => {
  const rows: [string, Failure, number, string, string, string, string][] = [
    // failure, on attempt, outcome, safe, keyed, unsafe
    ["no connection", unreachable, 1, "not_sent", "retry", "retry", "retry"],
    ["a TLS failure", tls, 1, "not_sent", "stop", "stop", "stop"],
    ["fetchOptions that fetch refuses", notTaken, 1, "not_sent", "stop", "stop", "stop"],
    ["an abort before the first attempt", aborted, 0, "not_sent", "stop", "stop", "stop"],
    ["an abort later", aborted, 1, "unknown", "stop", "stop", "stop"],
    ["429", answered(429), 1, "rejected", "retry", "retry", "retry"],
    ["409 on the first attempt", answered(409), 1, "rejected", "stop", "stop", "stop"],
    ["400", answered(400), 1, "rejected", "stop", "stop", "stop"],
    ["401", answered(401), 2, "rejected", "stop", "stop", "stop"],
    ["404", answered(404), 1, "rejected", "stop", "stop", "stop"],
    ["422", answered(422), 3, "rejected", "stop", "stop", "stop"],
    ["500", answered(500), 1, "unknown", "retry", "retry", "stop"],
    ["502", answered(502), 2, "unknown", "retry", "retry", "stop"],
    ["503", answered(503), 1, "unknown", "retry", "retry", "stop"],
    ["599", answered(599), 1, "unknown", "retry", "retry", "stop"],
    ["408", answered(408), 1, "unknown", "retry", "retry", "stop"],
    ["425", answered(425), 1, "unknown", "retry", "retry", "stop"],
    ["a failed hook before the request", failedHook(false), 1, "not_sent", "stop", "stop", "stop"],
    ["a failed hook after the request", failedHook(true), 1, "unknown", "stop", "stop", "stop"],
    ["a success that is too large", tooLarge, 1, "unknown", "stop", "stop", "stop"],
    ["a reset", broken, 1, "unknown", "retry", "retry", "stop"],
    ["a timeout", late, 1, "unknown", "retry", "retry", "stop"],
    ["an unreadable success", unreadable, 1, "unknown", "retry", "retry", "stop"],
  ];

  test.each(rows)("%s", (_, failure, attempt, outcome, safe, keyed, unsafe) => {
    for (const [replay, action] of [
      ["safe", safe],
      ["keyed", keyed],
      ["unsafe", unsafe],
    ] as const) {
      expect({ replay, ...decide(situation({ failure, attempt, replay })) }).toMatchObject({
        replay,
        action,
        outcome,
      });
    }
  });

  test.each([301, 302, 303, 307, 308])(
    "a redirect with %i rejects a read, and leaves any other outcome unknown",
    (status) => {
      const outcomes = (["safe", "keyed", "unsafe"] as const).map((replay) => {
        const { action, outcome } = decide(situation({ failure: redirect(status), replay }));
        return [action, outcome];
      });
      expect(outcomes).toEqual([
        ["stop", "rejected"],
        ["stop", "unknown"],
        ["stop", "unknown"],
      ]);
    },
  );

  test.each([400, 401, 403, 404, 405, 409, 413, 415, 422])(
    "a %i that is not in one of the service's formats leaves the outcome unknown",
    (status) => {
      const failure = answered(status, undefined, false);
      for (const replay of ["safe", "keyed", "unsafe"] as const) {
        const decision = decide(situation({ failure, replay }));
        expect(decision).toMatchObject({ action: "stop", outcome: "unknown" });
      }
      const own = decide(situation({ failure: answered(status), replay: "unsafe" }));
      expect(own).toMatchObject({ action: "stop", outcome: "rejected" });
    },
  );

  test.each([402, 410, 418, 451, 499])("a %i never counts as a rejection", (status) => {
    const decision = decide(situation({ failure: answered(status), replay: "unsafe" }));
    expect(decision).toMatchObject({ action: "stop", outcome: "unknown" });
  });

  test("a timeout before the request leaves has sent nothing", () => {
    const failure = { ...late, spentOn: "in a hook." } as const;
    for (const replay of ["safe", "keyed", "unsafe"] as const) {
      const decision = decide(situation({ failure, replay }));
      expect(decision).toMatchObject({ action: "retry", outcome: "not_sent" });
    }
  });

  test.each([
    ["keyed", "retry", "unknown"],
    ["unsafe", "stop", "unknown"],
    ["safe", "stop", "rejected"],
  ] as const)(
    "a 409 on a later attempt of a %s call: %s, and the outcome is %s, because the conflict may be with the first",
    (replay, action, outcome) => {
      const decision = decide(situation({ failure: answered(409), attempt: 2, replay }));
      expect(decision).toMatchObject({ action, outcome });
    },
  );
});

describe("an outcome", () => {
  const failures = fc.constantFrom(
    unreachable,
    tls,
    notTaken,
    broken,
    late,
    aborted,
    unreadable,
    tooLarge,
    ...[true, false].map(failedHook),
    ...[302, 303].map(redirect),
    { ...late, spentOn: "in a hook." },
    ...[400, 401, 403, 404, 408, 409, 418, 422, 429, 500, 503].flatMap((status) => [
      answered(status),
      answered(status, 60_000, false),
    ]),
  );
  const attempts = fc.integer({ min: 1, max: 9 });
  /** Everything that may limit or allow a retry. */
  const limits = fc.record({
    remainingMs: fc.nat(90_000),
    retries: fc.nat(3),
    maxRetries: fc.nat(3),
    budgetLeft: fc.boolean(),
    mayRenew: fc.boolean(),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });

  test("that was unknown stays unknown after any later failure of a call that changes something", () => {
    const replays = fc.constantFrom("keyed", "unsafe");
    fc.assert(
      fc.property(failures, replays, attempts, limits, (failure, replay, attempt, more) => {
        const changes = { ...more, failure, replay, attempt, unknownBefore: true };
        expect(decide(situation(changes)).outcome).toBe("unknown");
      }),
    );
  });

  test("of an unsafe call is never unknown when the call is sent again", () => {
    fc.assert(
      fc.property(failures, attempts, limits, (failure, attempt, more) => {
        const decision = decide(situation({ ...more, failure, replay: "unsafe", attempt }));
        if (decision.action !== "stop") expect(decision.outcome).not.toBe("unknown");
      }),
    );
  });
});

describe("the retry limits", () => {
  const failure = answered(503);

  test("are maxRetries, the budget and the deadline", () => {
    expect(decide(situation({ failure, retries: 2 }))).toMatchObject({ action: "retry" });
    expect(decide(situation({ failure, retries: 3 }))).toMatchObject({ action: "stop" });
    expect(decide(situation({ failure, budgetLeft: false }))).toMatchObject({
      action: "stop",
      outOfBudget: true,
    });
    expect(decide(situation({ failure, remainingMs: 250 }))).toMatchObject({ action: "stop" });
    expect(decide(situation({ failure, remainingMs: 251 }))).toMatchObject({ action: "retry" });
  });

  test("are only the deadline for a 429, unless retries are off", () => {
    const limited = { failure: answered(429), retries: 3, budgetLeft: false };
    expect(decide(situation(limited))).toMatchObject({ action: "retry", counted: false });
    expect(decide(situation({ ...limited, maxRetries: 0 }))).toMatchObject({ action: "stop" });
    expect(decide(situation({ ...limited, remainingMs: 100 }))).toMatchObject({ action: "stop" });
  });
});

describe("the wait before a retry", () => {
  const waitMs = (changes: Partial<Situation>) => {
    const decision = decide(situation({ failure: answered(503), maxRetries: 99, ...changes }));
    return decision.action === "retry" ? decision.waitMs : undefined;
  };

  test("doubles from half a second to eight, with full jitter", () => {
    const longest = [1, 2, 3, 4, 5, 6, 50].map((attempt) => waitMs({ attempt, random: 1 }));
    expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
    expect(waitMs({ attempt: 5, random: 0 })).toBe(0);
  });

  test("is the one in Retry-After on 429 and 5xx", () => {
    expect(waitMs({ failure: answered(503, 3000) })).toBe(3000);
    expect(waitMs({ failure: answered(429, 12_000) })).toBe(12_000);
  });

  test.each([0, 1, 249])("does not become a busy loop when Retry-After is %i ms", (ms) => {
    expect(waitMs({ failure: answered(429, ms) })).toBe(250);
    expect(waitMs({ failure: answered(429, ms), attempt: 4 })).toBe(2000);
    expect(waitMs({ failure: answered(429, 251) })).toBe(251);
  });
});
