import { connect, type Socket } from "node:net";
import { createSandbox, type Sandbox, type TimelineEntry } from "settlekit/sandbox";
import { describe, expect, it, vi } from "vitest";
import { order, origin, paymentsPath } from "./merchant.ts";

/** The two ways to reach a sandbox; connections must break the same way on both. */
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

  it("mid-answer makes the body unreadable", async () => {
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

  it("that truncates the answer declares its full length and sends half", async () => {
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

  it("recovers after each fault has occurred as many times as given", async () => {
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

describe("a broken connection on the wire", () => {
  /** Lists payments over a raw socket; returns everything received and how the connection ended. */
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

  it("is reset before a single byte is sent", async () => {
    const sandbox = createSandbox();
    sandbox.faults.reset("*", { when: "after" });
    expect(await rawAnswer(sandbox)).toEqual({ head: "", body: "", ending: "ECONNRESET" });
  });

  it.each([
    ["end", "truncated"],
    ["ECONNRESET", "reset"],
  ] as const)("sends half an answer before the %s", async (ending, connection) => {
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

describe("the record of a request with a broken connection", () => {
  const outcomes = (sandbox: Sandbox) =>
    sandbox.requests().map(({ outcome, status, answer }) => [outcome, status, answer !== null]);

  it.each(Object.entries(carriers))("shows what a fault did to it, %s", async (_name, carry) => {
    const sandbox = createSandbox();
    await using carrier = await carry(sandbox);
    sandbox.faults.reset("GET /payments", { when: "after" });
    sandbox.faults.reset("GET /payments", { when: "mid-answer" });
    sandbox.faults.truncate("GET /payments");
    const headers = { "X-Service-Secret-Key": sandbox.secretKey };
    for (let index = 0; index < 4; index++) {
      const asked = carrier.fetch(carrier.url + paymentsPath, { headers });
      await asked.then((response) => response.text()).catch(() => undefined);
    }
    const expected = [
      ["unanswered", null, false],
      ["cut off", 200, true],
      ["cut off", 200, true],
      ["answered", 200, true],
    ];
    await vi.waitFor(() => expect(outcomes(sandbox)).toEqual(expected));
    const { data } = (await (
      await carrier.fetch(`${carrier.url}/_sandbox/timeline`, {})
    ).json()) as { data: TimelineEntry[] };
    const requests = data.flatMap((entry) => (entry.type === "request" ? [entry] : []));
    expect(requests.map(({ outcome, status }) => [outcome, status])).toEqual(
      expected.map(([outcome, status]) => [outcome, status]),
    );
  });

  it("is unanswered as soon as the client disconnects before the answer", async () => {
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    sandbox.faults.latency("GET /payments", 600_000);
    const client = await asking(server.port, sandbox);
    await vi.waitFor(() => expect(outcomes(sandbox)).toEqual([["open", null, false]]));
    client.resetAndDestroy();
    await vi.waitFor(() => expect(outcomes(sandbox)).toEqual([["unanswered", null, false]]));
  });

  it("is unanswered when an in-process client aborts", async () => {
    const sandbox = createSandbox();
    sandbox.faults.latency("GET /payments", 600_000);
    const controller = new AbortController();
    const { signal } = controller;
    const asked = sandbox.fetch(new Request(origin + paymentsPath, { signal }));
    await vi.waitFor(() => expect(outcomes(sandbox)).toEqual([["open", null, false]]));
    controller.abort();
    await expect(asked).rejects.toThrow();
    expect(outcomes(sandbox)).toEqual([["unanswered", null, false]]);
  });

  it("stays unanswered when the answer is ready after the client has left", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const sandbox = createSandbox();
      sandbox.faults.latency("GET /payments", 1_000);
      const controller = new AbortController();
      const { signal } = controller;
      const asked = sandbox.fetch(new Request(origin + paymentsPath, { signal }));
      const refused = expect(asked).rejects.toThrow();
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
      controller.abort();
      await refused;
      await vi.advanceTimersByTimeAsync(1_000);
      expect(outcomes(sandbox)).toEqual([["unanswered", null, false]]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is unanswered in a sandbox that loads a save with an open request", async () => {
    const sandbox = createSandbox();
    sandbox.faults.latency("GET /payments", 600_000);
    void sandbox.fetch(new Request(origin + paymentsPath));
    await vi.waitFor(() => expect(outcomes(sandbox)).toEqual([["open", null, false]]));
    const next = createSandbox();
    next.load(JSON.parse(JSON.stringify(sandbox.save())));
    expect(outcomes(next)).toEqual([["unanswered", null, false]]);
    const timeline = await next.fetch(new Request(`${origin}/_sandbox/timeline`));
    expect(await timeline.json()).toMatchObject({
      data: [{ outcome: "unanswered" }, { type: "fault.met" }],
    });
  });

  it("stays answered when the client's signal aborts afterwards", async () => {
    const sandbox = createSandbox();
    const controller = new AbortController();
    const { signal } = controller;
    await sandbox.fetch(new Request(origin + paymentsPath, { signal }));
    controller.abort();
    expect(outcomes(sandbox)).toEqual([["answered", 401, true]]);
  });

  it("is cut off when the client does not read the whole response", async () => {
    const sandbox = createSandbox();
    // Larger than the socket buffers, so that the rest waits for a reader.
    const body = "x".repeat(40_000_000);
    sandbox.faults.next("GET /payments", { status: 200, when: "before", body });
    await using server = await sandbox.listen({ port: 0 });
    const client = await asking(server.port, sandbox);
    client.pause();
    await vi.waitFor(() => expect(outcomes(sandbox)).toEqual([["answered", 200, true]]));
    client.resetAndDestroy();
    await vi.waitFor(() => expect(outcomes(sandbox)).toEqual([["cut off", 200, true]]));
  });
});

/** Sends a list request over a raw socket, and returns without waiting for the answer. */
async function asking(port: number, { secretKey }: Sandbox): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  const head = [
    `GET ${paymentsPath} HTTP/1.1`,
    "Host: 127.0.0.1",
    `X-Service-Secret-Key: ${secretKey}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  return socket;
}
