import { createSandbox, type Sandbox, type TimelineEntry } from "settlekit/sandbox";
import { describe, expect, it, vi } from "vitest";
import { create, newYear, origin, paymentsPath, send } from "./merchant.ts";

async function timeline(sandbox: Sandbox) {
  const response = await sandbox.fetch(new Request(`${origin}/_sandbox/timeline`));
  return (await response.json()) as { data: TimelineEntry[]; dropped: number };
}

function isChange(entry: TimelineEntry) {
  return (
    entry.type === "payment.created" ||
    entry.type === "payment.moved" ||
    entry.type === "payment.expired"
  );
}

/** Each entry's sequence number and type, with the sequence number of its cause. */
async function linked(sandbox: Sandbox) {
  const { data } = await timeline(sandbox);
  const named = (find: (entry: TimelineEntry) => boolean) => data.find(find)?.sequence ?? null;
  return data.map((entry) => {
    const from =
      entry.type === "webhook.attempted"
        ? named((it) => it.type === "webhook.created" && it.deliveryId === entry.deliveryId)
        : entry.type === "webhook.created"
          ? named((it) => isChange(it) && it.eventId === entry.eventId)
          : isChange(entry)
            ? (entry.clockSequence ??
              named((it) => it.type === "request" && it.requestId === entry.requestId))
            : null;
    return [entry.sequence, entry.type, from];
  });
}

describe("the timeline", () => {
  it("links each request to its change, the change to its webhook and the webhook to its attempts", async () => {
    let status = 500;
    const sandbox = createSandbox({ now: newYear, deliver: () => new Response(null, { status }) });
    const { paymentId } = await create(sandbox);
    await sandbox.webhooks.idle();
    status = 200;
    await sandbox.clock.advance("1m");
    await sandbox.payments.simulate(paymentId, "success");
    await sandbox.webhooks.idle();
    expect(await linked(sandbox)).toEqual([
      [1, "request", null],
      [2, "payment.created", 1],
      [3, "webhook.created", 2],
      [4, "webhook.attempted", 3],
      [5, "clock.advanced", null],
      [6, "webhook.attempted", 3],
      // No request caused it: the test simulated the customer.
      [7, "payment.moved", null],
      [8, "webhook.created", 7],
      [9, "webhook.attempted", 8],
    ]);
    const { data } = await timeline(sandbox);
    expect(data[0]).toMatchObject({ method: "POST", path: paymentsPath, status: 201 });
    expect(data[1]).toMatchObject({
      event: "payment.created",
      paymentId,
      status: "pending",
    });
    expect(data[5]).toMatchObject({ attempt: 2, status: 200, at: "2026-01-01T00:00:30.000Z" });
  });

  it("links a change to its own request when requests are concurrent", async () => {
    const sandbox = createSandbox();
    const [first, second] = await Promise.all([create(sandbox), create(sandbox)]);
    await send(sandbox, paymentsPath);
    await sandbox.payments.simulate(first.paymentId, "timeout");
    const { data } = await timeline(sandbox);
    const causes = data.flatMap((entry) => (isChange(entry) ? [entry] : []));
    const ids = sandbox.requests().map(({ requestId }) => requestId);
    expect(causes.map(({ paymentId, requestId }) => [paymentId, requestId])).toEqual([
      [first.paymentId, ids[0]],
      [second.paymentId, ids[1]],
      [first.paymentId, null],
    ]);
  });

  it("links expired quotes and payments to the clock advance", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId, payment } = await create(sandbox);
    await sandbox.clock.advance("1m");
    await sandbox.clock.advance("14m");
    const { data } = await timeline(sandbox);
    const moves = data.filter(({ type }) => type === "clock.advanced");
    expect(moves).toMatchObject([
      { at: "2026-01-01T00:00:00.000Z", until: "2026-01-01T00:01:00.000Z" },
      { at: "2026-01-01T00:01:00.000Z", until: "2026-01-01T00:15:00.000Z" },
    ]);
    const clockSequence = moves[1]?.sequence;
    expect(data.filter((entry) => "clockSequence" in entry && entry.clockSequence)).toMatchObject([
      {
        type: "quotes.expired",
        at: "2026-01-01T00:10:00.000Z",
        paymentId,
        quoteIds: payment.quotes.map(({ id }) => id),
        clockSequence,
      },
      { type: "payment.expired", status: "expired", requestId: null, clockSequence },
    ]);
  });

  it("shows new confirmations of a payment whose status does not change", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success", { steps: "on-clock" });
    await sandbox.payments.step(paymentId);
    await sandbox.clock.advance("14s");
    const { data } = await timeline(sandbox);
    const shown = data.flatMap((entry) => {
      if (!isChange(entry)) return [];
      const { clockSequence } = entry;
      // No webhook is sent when only the confirmations change.
      return entry.event === null
        ? [[entry.confirmations, clockSequence]]
        : [[entry.status, clockSequence]];
    });
    const clockSequence = data.find(({ type }) => type === "clock.advanced")?.sequence;
    expect(shown).toEqual([
      ["pending", null],
      ["processing", null],
      [4, clockSequence],
      [7, clockSequence],
    ]);
  });

  it("links a change that a request makes during a clock advance to the request alone", async () => {
    const sandbox = createSandbox({
      now: newYear,
      deliver: async () => {
        if (sandbox.payments.all().length === 1) await create(sandbox);
        return new Response(null, { status: 204 });
      },
    });
    const { paymentId } = await create(sandbox);
    await sandbox.clock.advance("1s");
    const { data } = await timeline(sandbox);
    const later = data.find((entry) => isChange(entry) && entry.paymentId !== paymentId);
    expect(later).toMatchObject({ requestId: expect.any(String), clockSequence: null });
  });

  it("shows the disorder of an attempt", async () => {
    const sandbox = createSandbox({ deliver: () => new Response() });
    sandbox.webhooks.disorder("tamper");
    await create(sandbox);
    await sandbox.webhooks.idle();
    const { data } = await timeline(sandbox);
    expect(data.at(-1)).toMatchObject({ type: "webhook.attempted", disorder: "tamper" });
  });

  it("keeps the latest 2,000 entries and counts the dropped ones", async () => {
    const sandbox = createSandbox();
    for (let index = 0; index < 2_003; index++) await send(sandbox, `/${index}`);
    const { data, dropped } = await timeline(sandbox);
    expect([data.length, dropped, data[0]?.sequence]).toEqual([2_000, 3, 4]);
  });

  it("is cleared by a reset and restored by a snapshot, but never reuses a sequence number", async () => {
    const sandbox = createSandbox();
    await send(sandbox, "/one");
    const snapshot = sandbox.snapshot();
    sandbox.reset();
    await send(sandbox, "/two");
    expect(await timeline(sandbox)).toMatchObject({ data: [{ sequence: 2, path: "/two" }] });
    sandbox.restore(snapshot);
    await send(sandbox, "/three");
    expect((await timeline(sandbox)).data.map(({ sequence }) => sequence)).toEqual([1, 3]);
  });
});

it("a request that ends after a reset does not change a later one, which has its id in a sandbox with a seed", async () => {
  const sandbox = createSandbox({ seed: "ci" });
  sandbox.faults.latency("*", 800);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const running = send(sandbox, paymentsPath);
  await new Promise(setImmediate);
  sandbox.reset();
  const { headers } = await send(sandbox, "/later");
  await vi.advanceTimersByTimeAsync(800);
  vi.useRealTimers();
  expect((await running).headers.get("x-request-id")).toBe(headers.get("x-request-id"));
  expect(sandbox.requests()).toMatchObject([{ path: "/later", status: 404 }]);
});

it("a request that ends after a load does not change the loaded state's requests", async () => {
  const [first, second] = [createSandbox(), createSandbox()];
  await send(first, "/loaded");
  second.faults.latency("*", 800);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const running = send(second, paymentsPath);
  await new Promise(setImmediate);
  second.load(first.save());
  await vi.advanceTimersByTimeAsync(800);
  vi.useRealTimers();
  expect((await running).status).toBe(200);
  expect((await timeline(second)).data).toMatchObject([{ path: "/loaded", status: 404 }]);
});

describe("the event stream", () => {
  async function opened(sandbox: Sandbox) {
    const response = await sandbox.fetch(new Request(`${origin}/_sandbox/events`));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (reader === undefined) throw new Error("The stream has no body.");
    expect(await reader.read()).toEqual({ done: false, value: "retry: 1000\n\n" });
    return { response, reader };
  }

  it("sends every entry as it happens, and every reset", async () => {
    const sandbox = createSandbox();
    await send(sandbox, "/earlier");
    const { response, reader } = await opened(sandbox);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    await send(sandbox, "/now");
    sandbox.reset();
    const events: string[] = [];
    for (let index = 0; index < 3; index++) events.push((await reader.read()).value ?? "");
    const [asked, answered] = events.map((text) =>
      JSON.parse(text.match(/^data: (.*)$/m)?.[1] ?? ""),
    );
    expect(asked).toMatchObject({ path: "/now", status: null });
    expect(asked.outcome).toBe("open");
    expect(answered).toEqual({ ...asked, outcome: "answered", status: 404 });
    expect(events[0]).toMatch(/^data: .*\n\n$/);
    expect(events[2]).toBe('data: {"type":"reset"}\n\n');
    await reader.cancel();
    await send(sandbox, "/after");
  });

  it("sends a comment every 30 seconds, because readers give up on a silent connection", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const { reader } = await opened(createSandbox());
      vi.advanceTimersByTime(60_000);
      for (const value of [":\n\n", ":\n\n"]) {
        expect(await reader.read()).toEqual({ done: false, value });
      }
      await reader.cancel();
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
    } finally {
      vi.useRealTimers();
    }
  });

  it("disconnects slow readers instead of filling memory", async () => {
    const sandbox = createSandbox();
    const { body } = await sandbox.fetch(new Request(`${origin}/_sandbox/events`));
    for (let index = 0; index < 700; index++) await send(sandbox, `/${index}`);
    let events = 0;
    for await (const _ of body ?? []) events++;
    expect(events).toBeGreaterThan(900);
    expect(events).toBeLessThan(1_100);
  });

  it("works over the network, and ends when the server closes", async () => {
    const sandbox = createSandbox();
    const server = await sandbox.listen({ port: 0 });
    const response = await fetch(`${server.url}/_sandbox/events`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    await fetch(`${server.url}/seen`);
    expect((await reader?.read())?.value).toContain("/seen");
    await server.close();
    await expect(
      (async () => {
        while (!(await reader?.read())?.done);
      })(),
    ).rejects.toThrow();
  });
});
