import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create, newYear, order, origin, paymentsPath, send } from "./merchant.ts";

describe("the record of requests", () => {
  it("shows what was received and how it was answered, oldest first", async () => {
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
        status: 201,
        requestId: expect.any(String),
      },
      {
        at: "2026-01-01T00:01:00.000Z",
        method: "GET",
        path: `${paymentsPath}?limit=0`,
        headers: { "x-service-secret-key": "[redacted]" },
        body: "",
        status: 422,
        requestId: answer.headers.get("x-request-id"),
      },
    ]);
  });

  it("hides every credential, also under another header prefix", async () => {
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

  it("keeps requests that were refused, with what they sent", async () => {
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

  it("keeps the latest thousand", async () => {
    const sandbox = createSandbox();
    for (let index = 0; index < 1_003; index++) await send(sandbox, `/${index}`);
    const paths = sandbox.requests().map(({ path }) => path);
    expect(paths).toHaveLength(1_000);
    expect([paths[0], paths.at(-1)]).toEqual(["/3", "/1002"]);
  });

  it("keeps fewer where their bodies are large", async () => {
    const sandbox = createSandbox();
    const body = "x".repeat(1_048_576);
    for (let index = 0; index < 20; index++) await send(sandbox, `/${index}`, { body });
    expect(sandbox.requests().map(({ path }) => path)).toEqual(
      Array.from({ length: 16 }, (_, index) => `/${index + 4}`),
    );
  });

  it("is not altered by altering the list it gives, and is cleared by a reset", async () => {
    const sandbox = createSandbox();
    await send(sandbox, "/one");
    sandbox.requests().length = 0;
    expect(sandbox.requests()).toHaveLength(1);
    sandbox.reset();
    expect(sandbox.requests()).toEqual([]);
  });
});
