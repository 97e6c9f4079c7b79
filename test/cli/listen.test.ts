import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { signWebhook } from "../../src/webhooks/index.ts";
import { reset, scriptedServer } from "../scripted-server.ts";
import { CommandLine, settlekit } from "./command-line.ts";

const secret = "whsec_kept_quiet";
const event = {
  event: "payment.updated",
  data: { id: "pay_1", status: "completed", orderId: "order_1" },
} as const;
const signed = () => signWebhook({ event, secret });

/** Starts a receiver on a free port, and waits until it is ready. */
async function listening(...args: string[]) {
  const running = new CommandLine(["listen", "--port", "0", "--json", ...args], {
    SETTLEKIT_WEBHOOK_SECRET: secret,
  });
  const { url } = await running.json<{ url: string }>();
  const send = (init: { body: string; headers: Record<string, string> }, path = "/") =>
    fetch(url + path, { method: "POST", ...init });
  return Object.assign(running, { url, send });
}

describe("settlekit listen", () => {
  test("verifies and prints a webhook on any path", async () => {
    await using running = await listening();
    const delivery = signed();
    const response = await running.send(delivery, "/any/path?x=1");
    expect(response.status).toBe(200);
    expect(await running.json("webhook")).toEqual({
      type: "webhook",
      at: expect.any(String),
      ok: true,
      answered: 200,
      ...event,
      timestamp: expect.any(String),
      deliveryKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      secretIndex: 0,
      hints: {},
      forwarded: null,
    });
  });

  test("refuses to forward webhooks to itself", async () => {
    await using other = await scriptedServer({ status: 200 });
    const { port } = new URL(other.url);
    await other[Symbol.asyncDispose]();
    const forward = ["--forward-to", `http://localhost:${port}/webhooks`];
    const { code, stderr } = await settlekit(["listen", "--port", port, ...forward], {
      SETTLEKIT_WEBHOOK_SECRET: secret,
    });
    expect(code).toBe(2);
    expect(stderr).toContain("--forward-to is the address of listen itself");
  });

  test("forwards body and headers unchanged, to exactly the given URL", async () => {
    await using shop = await scriptedServer({ status: 201, body: "ok" });
    await using running = await listening("--forward-to", `${shop.url}/hooks?a=1`);
    const body = '{ "event": "payment.updated",\n "data": { "note": "é\u{1F600}" } }  ';
    const { headers } = signWebhook({ body, secret });
    const response = await running.send(
      { body, headers: { ...headers, "X-Service-Delivery-Id": "d_1", "X-Other": "1, 2" } },
      "/elsewhere",
    );
    expect(response.status).toBe(201);
    const [received] = shop.requests;
    expect(received).toMatchObject({ method: "POST", url: "/hooks?a=1", body });
    expect(received?.headers).toMatchObject({
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      "x-service-delivery-id": "d_1",
      "x-other": "1, 2",
      host: new URL(shop.url).host,
    });
    expect(await running.json("webhook")).toMatchObject({
      ok: true,
      answered: 201,
      forwarded: { status: 201, body: "ok", durationMs: expect.any(Number) },
    });
  });

  test("answers with the endpoint's status, so that the sender retries", async () => {
    await using shop = await scriptedServer({ status: 503 }, { status: 700 }, { status: 200 });
    await using running = await listening("--forward-to", shop.url);
    expect((await running.send(signed())).status).toBe(503);
    // HTTP defines no status above 599.
    expect((await running.send(signed())).status).toBe(502);
    expect((await running.send(signed())).status).toBe(200);
  });

  test("forwards and prints only the selected events", async () => {
    await using shop = await scriptedServer({});
    await using running = await listening(
      ...["--forward-to", shop.url, "--events", "payment.updated"],
    );
    const other = { ...event, event: "payment.created" } as const;
    expect((await running.send(signWebhook({ event: other, secret }))).status).toBe(200);
    expect((await running.send(signed())).status).toBe(200);
    expect(await running.json("webhook")).toMatchObject({ event: "payment.updated" });
    expect(shop.requests).toHaveLength(1);
  });

  test("follows no redirect", async () => {
    await using elsewhere = await scriptedServer({});
    await using shop = await scriptedServer({ status: 308, headers: { location: elsewhere.url } });
    await using running = await listening("--forward-to", shop.url);
    const { url } = running;
    const init = { method: "POST", ...signed(), redirect: "manual" } as const;
    const response = await fetch(url, init);
    expect(response.status).toBe(308);
    expect(response.headers.has("location")).toBe(false);
    expect(elsewhere.requests).toEqual([]);
  });

  test.each([
    ["nothing listens there", undefined, /nothing is listening there/],
    ["it breaks the connection", reset, /./],
  ])("answers 502 when the endpoint gives no answer: %s", async (_, answer, reason) => {
    await using shop = await scriptedServer(answer ?? {});
    const target = answer ? shop.url : "http://127.0.0.1:1";
    await using running = await listening("--forward-to", target);
    expect((await running.send(signed())).status).toBe(502);
    expect(await running.json("webhook")).toMatchObject({
      ok: true,
      answered: 502,
      forwarded: { error: expect.stringMatching(reason) },
    });
  });

  test.each([
    [
      "another secret",
      { ...signWebhook({ event, secret: "x" }) },
      401,
      "signature_mismatch",
      "this environment",
    ],
    [
      "a changed body",
      { ...signed(), body: `${JSON.stringify(event)}\n` },
      401,
      "signature_mismatch",
      "Pass the bytes",
    ],
    ["no signature", { body: "{}", headers: {} }, 401, "missing_signature", "is missing"],
    [
      "an old timestamp",
      signWebhook({ event, secret, timestamp: 1_700_000_000 }),
      401,
      "timestamp_too_old",
      "clock was probably frozen (--now) or advanced: then listen with --tolerance Infinity",
    ],
    [
      "a signed body that is not an event",
      signWebhook({ body: "[]", secret }),
      400,
      "invalid_event",
      "body is not",
    ],
  ])("refuses %s, says why, and forwards nothing", async (_, delivery, status, reason, why) => {
    await using shop = await scriptedServer({});
    await using running = await listening("--forward-to", shop.url);
    const { body, headers } = delivery;
    expect((await running.send({ body, headers })).status).toBe(status);
    expect(await running.json("webhook")).toMatchObject({
      ok: false,
      answered: status,
      reason,
      message: expect.stringContaining(why),
    });
    expect(shop.requests).toEqual([]);
  });

  test("accepts a frozen sandbox's webhooks with --tolerance Infinity", async () => {
    await using running = await listening("--tolerance", "Infinity");
    const { body, headers } = signWebhook({ event, secret, timestamp: 1_700_000_000 });
    expect((await running.send({ body, headers })).status).toBe(200);
  });

  test("answers 405 to anything but POST", async () => {
    await using running = await listening();
    const response = await fetch(running.url);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await running.json("webhook")).toMatchObject({
      ok: false,
      reason: "method_not_allowed",
    });
  });

  test("refuses an oversized body before all of it has arrived", async () => {
    await using running = await listening();
    const socket = connect(Number(new URL(running.url).port), "127.0.0.1");
    // The rest of the body meets a closed connection.
    socket.on("error", () => {});
    const { headers } = signed();
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${lines.join("")}Content-Length: 9000000\r\n\r\n`);
    socket.write("x".repeat(1_100_000));
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test("survives a sender that disconnects mid-request", async () => {
    await using running = await listening();
    const socket = connect(Number(new URL(running.url).port), "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    socket.end();
    await once(socket.resume(), "close");
    expect((await running.send(signed())).status).toBe(200);
  });

  test("prints for people on stderr only, and never the secret", async () => {
    const running = new CommandLine(["listen", "--port", "0", "--secret", secret]);
    const line = await running.stderr.next((text) => text.includes("http://"));
    const url = line.slice(line.indexOf("http://"));
    const { body, headers } = signed();
    await fetch(url, { method: "POST", body, headers });
    await fetch(url, { method: "POST", body: `${body} `, headers });
    await running.stderr.next((text) =>
      text.includes("verified  payment.updated  completed  order_1"),
    );
    await running.stderr.next((text) => text.includes("refused, signature_mismatch"));
    const { code, stdout, stderr } = await running.stop();
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(stderr).toContain("Pass the bytes");
    expect(stderr).not.toContain(secret);
  });

  test("shows people the outcome of a forwarded webhook", async () => {
    await using shop = await scriptedServer({ status: 302 }, { status: 401 }, reset);
    const args = ["listen", "--port", "0", "--secret", secret, "--forward-to", shop.url];
    await using running = new CommandLine(args);
    const line = await running.stderr.next((text) => text.includes("http://"));
    const url = line.slice(line.indexOf("http://"));
    const init = { method: "POST", redirect: "manual" } as const;
    await fetch(url, { ...init, ...signed() });
    await running.stderr.next((text) => /→ 302 in \d+ ms$/.test(text));
    await running.stderr.next((text) => text.includes("Redirects are not followed"));
    await fetch(url, { ...init, ...signed() });
    await running.stderr.next((text) => text.includes("compare the secrets on both sides"));
    await fetch(url, { ...init, ...signed() });
    await running.stderr.next((text) => text.includes("not forwarded: "));
  });

  test("forwards the webhooks of settlekit trigger to the shop", async () => {
    await using shop = await scriptedServer({});
    await using running = await listening("--forward-to", shop.url, "--secret", secret);
    const { code } = await settlekit([
      "trigger",
      ...["payment.updated", "--detached", "--to", running.url, "--secret", secret],
    ]);
    expect(code).toBe(0);
    expect(shop.requests).toHaveLength(1);
  });

  test("warns about a misspelt event name, and about no other", async () => {
    await using running = await listening(
      ...["--events", "payment.update", "--events", "payment.updated", "--events", "invoice.paid"],
      ...["--events", "payment.confirmed"],
    );
    expect((await running.stop()).stderr).toBe(
      'Warning: `--events`: The event "payment.update" is not known. Did you mean "payment.updated"?\n',
    );
  });

  test("exits on SIGTERM, and says when its port is taken", async () => {
    await using running = await listening();
    const { port } = new URL(running.url);
    const second = await settlekit(["listen", "--port", port, "--secret", secret]);
    expect(second).toMatchObject({ code: 2, stdout: "" });
    expect(second.stderr).toContain("0 takes any free one");
    const { stdout } = await settlekit(["listen", "--port", port, "--secret", secret, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ type: "error", error: { code: "port_taken" } });
    expect(await running.stop("SIGTERM")).toMatchObject({ code: 143, stderr: "" });
  });

  test("warns when it accepts connections from other machines", async () => {
    await using running = await listening("--host", "0.0.0.0");
    await running.stderr.next((line) => line.startsWith("Warning: Listening on 0.0.0.0"));
    expect((await running.send(signed())).status).toBe(200);
  });

  test.each([
    [[], "There is no webhook secret."],
    [["--secret", "a", "--forward-to", "shop"], "`--forward-to`: Expected a complete"],
    [["--secret", "a", "--tolerance", "5m"], "`--tolerance`: Expected"],
    [["--secret", "a", "--header-prefix", "no spaces"], "headerPrefix"],
    [["--secret", "a", "--host", "no such host"], "Cannot listen"],
  ])("refuses %j", async (args, hint) => {
    const { code, stdout, stderr } = await settlekit(["listen", "--port", "0", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(hint);
  });
});
