import { createSandbox } from "settlekit/sandbox";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  create,
  newYear,
  order,
  origin,
  paymentsPath,
  send,
  withdraw,
  withdrawalsPath,
} from "./merchant.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("the record of requests", () => {
  it("shows each request and its answer, oldest first", async () => {
    const sandbox = createSandbox({ now: newYear });
    await create(sandbox, {}, { "Idempotency-Key": "key-1" });
    await sandbox.clock.advance("1m");
    const answer = await send(sandbox, `${paymentsPath}?limit=0`);

    expect(sandbox.requests()).toEqual([
      {
        at: "2026-01-01T00:00:00.000Z",
        method: "POST",
        path: paymentsPath,
        headers: {
          "content-type": "application/json",
          "idempotency-key": "key-1",
          "x-service-secret-key": "[redacted]",
        },
        body: JSON.stringify(order),
        bodyOmitted: 0,
        outcome: "answered",
        status: 201,
        answer: {
          headers: expect.objectContaining({
            "content-type": "application/json",
            date: "Thu, 01 Jan 2026 00:00:00 GMT",
          }),
          body: expect.stringContaining(`"paymentId":`),
          bodyOmitted: 0,
        },
        requestId: expect.any(String),
      },
      {
        at: "2026-01-01T00:01:00.000Z",
        method: "GET",
        path: `${paymentsPath}?limit=0`,
        headers: { "x-service-secret-key": "[redacted]" },
        body: "",
        bodyOmitted: 0,
        outcome: "answered",
        status: 422,
        answer: {
          headers: expect.objectContaining({ "content-type": "application/json" }),
          body: await answer.text(),
          bodyOmitted: 0,
        },
        requestId: answer.headers.get("x-request-id"),
      },
    ]);
  });

  it("redacts every credential, even under another header prefix", async () => {
    const sandbox = createSandbox();
    const headers = {
      "X-Service-Secret-Key": "hidden-1",
      "X-Service-Payment-Secret": "hidden-2",
      "X-Acme-Secret-Key": "hidden-3",
      Authorization: "Bearer hidden-4",
      Cookie: "session=hidden-5",
      "X-Trace": "shown",
    };
    await send(sandbox, paymentsPath, { headers });
    const recorded = JSON.stringify(sandbox.requests());
    expect(recorded).not.toContain("hidden");
    expect(recorded).toContain("shown");
  });

  it("keeps refused requests with their bodies, except oversized ones", async () => {
    const sandbox = createSandbox();
    await send(sandbox, "/nowhere", { body: "not json" });
    await send(sandbox, paymentsPath, { body: "x".repeat(1_048_577) });
    await sandbox.fetch(new Request(`${origin}/nobody`));
    expect(sandbox.requests().map(({ status, body }) => [status, body])).toEqual([
      [404, "not json"],
      [413, ""],
      [404, ""],
    ]);
  });

  it("keeps the beginning of a large body or answer, and counts what it omits", async () => {
    const sandbox = createSandbox();
    await send(sandbox, "/nowhere", { body: "x".repeat(1_048_576) });
    for (let index = 0; index < 10; index++) await create(sandbox);
    const listed = await (await send(sandbox, paymentsPath)).text();
    const [first] = sandbox.requests();
    expect(first).toMatchObject({ body: "x".repeat(8_192), bodyOmitted: 1_048_576 - 8_192 });
    expect(sandbox.requests().at(-1)?.answer).toMatchObject({
      body: listed.slice(0, 8_192),
      bodyOmitted: listed.length - 8_192,
    });
  });

  it("redacts secrets in paths, headers, bodies and answers", async () => {
    const sandbox = createSandbox();
    const { secret, paymentId } = await create(sandbox);
    const { secretKey, webhookSecret, accessToken } = sandbox;
    const secrets = [secret, secretKey, webhookSecret, accessToken];
    for (const each of secrets) {
      await send(sandbox, `${paymentsPath}?search=${each}`, { headers: { "X-Note": each } });
      // After a letter or a digit, where no word begins.
      const nested = encodeURIComponent(`https://shop.example/?key=${each}`);
      await send(sandbox, `${paymentsPath}?search=${nested}`, {
        headers: { "X-Note": `order_${each}` },
      });
      await send(sandbox, paymentsPath, {
        body: { ...order, customMetadata: `{"key":"${each}"}` },
      });
      // After a letter that ends an escape.
      for (const escaped of ["%3d", "\\n", "\\u003d"]) {
        await send(sandbox, paymentsPath, { body: `${escaped}${each}` });
      }
      // Cut off by the limit, so that no pattern for a whole secret matches.
      await send(sandbox, paymentsPath, { body: " ".repeat(8_192 - 20) + each });
    }
    const answers = sandbox.requests().map(({ answer }) => answer?.body ?? "");
    expect(answers[0]).toContain(`"paymentId":"${paymentId}","secret":"[redacted]"`);
    const timeline = await sandbox.fetch(new Request(`${origin}/_sandbox/timeline`));
    const recorded = JSON.stringify(sandbox.requests()) + (await timeline.text());
    for (const each of secrets) expect(recorded).not.toContain(each.slice(0, 16));
  });

  it("redacts the credentials of a proxy, which have no prefix to recognise", async () => {
    const sandbox = createSandbox();
    await send(sandbox, "/", { headers: { "Proxy-Authorization": "Basic dXNlcjpwYXNzd29yZA==" } });
    expect(sandbox.requests()[0]?.headers).toMatchObject({ "proxy-authorization": "[redacted]" });
  });

  it("returns a copy of its list, and is cleared by a reset", async () => {
    const sandbox = createSandbox();
    await send(sandbox, "/one");
    sandbox.requests().length = 0;
    expect(sandbox.requests()).toHaveLength(1);
    sandbox.reset();
    expect(sandbox.requests()).toEqual([]);
  });

  it("includes requests that met a fault, with the status of their answer", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("GET /payments", { status: 503, when: "before" });
    sandbox.faults.reset("GET /payments", { when: "after" });
    sandbox.faults.reset("GET /payments", { when: "mid-answer" });
    sandbox.faults.truncate("GET /payments");
    for (let index = 0; index < 5; index++) await send(sandbox, paymentsPath).catch(() => {});
    sandbox.faults.rateLimit({ requestsPerSecond: 0 });
    await send(sandbox, paymentsPath);
    expect(sandbox.requests().map(({ status }) => status)).toEqual([503, null, 200, 200, 200, 429]);
  });

  it("includes a request as soon as it arrives, before it is answered", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sandbox = createSandbox();
    sandbox.faults.latency("POST /withdrawals", 800, { when: "before" });
    const answer = withdraw(sandbox);
    await new Promise(setImmediate);
    const [pending] = sandbox.requests();
    expect(pending).toMatchObject({ path: withdrawalsPath, status: null });
    await vi.advanceTimersByTimeAsync(800);
    await answer;
    const answered = { outcome: "answered", status: 201, answer: expect.any(Object) };
    expect(sandbox.requests()).toEqual([{ ...pending, ...answered }]);
  });
});
