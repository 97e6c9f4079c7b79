import { connect } from "node:net";
import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { order, origin, paymentsPath } from "./merchant.ts";

/** What carries a request to a sandbox; both must break in the same way. */
const carriers = {
  "in process": async (sandbox: Sandbox) => ({
    url: origin,
    fetch: (url: string, init: RequestInit) => sandbox.fetch(new Request(url, init)),
    [Symbol.asyncDispose]: async () => {},
  }),
  "over a socket": async (sandbox: Sandbox) => {
    const server = await sandbox.listen({ port: 0 });
    return { url: server.url, fetch, [Symbol.asyncDispose]: server.close };
  },
};

describe.each(Object.entries(carriers))("a broken connection %s", (_name, carry) => {
  function post(carrier: Awaited<ReturnType<typeof carry>>, sandbox: Sandbox) {
    return carrier.fetch(carrier.url + paymentsPath, {
      method: "POST",
      headers: { "X-Service-Secret-Key": sandbox.secretKey, "Content-Type": "application/json" },
      body: JSON.stringify(order),
    });
  }

  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)(
    "%s the effect rejects as fetch does, and leaves %d payments",
    async (when, count) => {
      const sandbox = createSandbox();
      await using carrier = await carry(sandbox);
      sandbox.faults.reset("POST /payments", { when });
      const error = await post(carrier, sandbox).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      expect(error).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } });
      expect(sandbox.payments.all()).toHaveLength(count);
      expect((await post(carrier, sandbox)).status).toBe(201);
    },
  );

  it("in the middle of the answer is one whose body cannot be read", async () => {
    const sandbox = createSandbox();
    await using carrier = await carry(sandbox);
    sandbox.faults.reset("POST /payments", { when: "mid-answer" });
    const response = await post(carrier, sandbox);
    expect(response.status).toBe(201);
    const error = await response.text().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: "terminated", cause: { code: "ECONNRESET" } });
    expect(sandbox.payments.all()).toHaveLength(1);
  });

  it("that truncates announces the whole, gives half, and ends", async () => {
    const sandbox = createSandbox();
    await using carrier = await carry(sandbox);
    sandbox.faults.truncate("POST /payments");
    const response = await post(carrier, sandbox);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-request-id")).toBe(sandbox.requests()[0]?.requestId);
    const announced = Number(response.headers.get("content-length"));

    let text = "";
    const reading = async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
    };
    await expect(reading()).rejects.toMatchObject({
      message: "terminated",
      cause: { code: "UND_ERR_SOCKET" },
    });
    const [payment] = sandbox.payments.all();
    expect(text).toMatch(`{"payment":{"id":"${payment?.id}"`);
    expect(text.length).toBe(Math.floor(announced / 2));
  });

  it("is what it is told to be as often as it is told, and then it is whole again", async () => {
    const sandbox = createSandbox();
    await using carrier = await carry(sandbox);
    sandbox.faults.reset("POST /payments", { when: "after", times: 2 });
    sandbox.faults.truncate("POST /payments", { times: 2 });
    const outcomes: string[] = [];
    for (let index = 0; index < 5; index++) {
      const outcome = await post(carrier, sandbox).then(
        (response) =>
          response.text().then(
            () => "read",
            () => "half",
          ),
        () => "none",
      );
      outcomes.push(outcome);
    }
    expect(outcomes).toEqual(["none", "none", "half", "half", "read"]);
    expect(sandbox.payments.all()).toHaveLength(5);
  });
});

describe("on the wire", () => {
  /** Everything that comes back for a list of payments, and how the connection ended. */
  async function rawAnswer(sandbox: Sandbox) {
    await using server = await sandbox.listen({ port: 0 });
    const socket = connect(server.port, "127.0.0.1");
    let received = "";
    let ending = "end";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", (error: Error & { code?: string }) => {
      ending = error.code ?? "";
    });
    socket.write(
      `GET ${paymentsPath} HTTP/1.1\r\nHost: localhost\r\nX-Service-Secret-Key: ${sandbox.secretKey}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.on("close", resolve));
    const [head = "", body = ""] = received.split("\r\n\r\n");
    return { head, body, ending };
  }

  const whole = JSON.stringify({
    data: [],
    pagination: { total: 0, limit: 100, offset: 0, hasMore: false, totalPages: 0, currentPage: 1 },
  });

  it("a reset is a reset, and not a byte comes before it", async () => {
    const sandbox = createSandbox();
    sandbox.faults.reset("*", { when: "after" });
    expect(await rawAnswer(sandbox)).toEqual({ head: "", body: "", ending: "ECONNRESET" });
  });

  it.each([
    ["end", "truncated"],
    ["ECONNRESET", "reset"],
  ] as const)("half an answer comes before the %s", async (ending, connection) => {
    const sandbox = createSandbox();
    sandbox.faults.next(
      "*",
      connection === "reset" ? { connection, when: "mid-answer" } : { connection },
    );
    const answer = await rawAnswer(sandbox);
    expect(answer.head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.head.toLowerCase()).toContain(`\r\ncontent-length: ${whole.length}`);
    expect(answer.body).toBe(whole.slice(0, Math.floor(whole.length / 2)));
    expect(answer.ending).toBe(ending);
  });
});
