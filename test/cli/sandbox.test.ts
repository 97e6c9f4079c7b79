import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { Webhooks } from "../../src/webhooks/index.ts";
import { scriptedServer } from "../scripted-server.ts";
import { CommandLine, settlekit } from "./command-line.ts";

interface Keys {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly merchantId: string;
  readonly accessToken: string;
}

const paymentsPath = "/v1/external/secretkey-auth/payments";
const order = { amount: 2500, orderId: "order_1" };

/** A sandbox that is ready, on a port of its own. */
async function sandbox(...args: string[]) {
  const running = new CommandLine(["sandbox", "--port", "0", "--json", ...args]);
  const keys = await running.json<Keys>();
  const { secretKey, url: baseUrl } = keys;
  const environment = "sandbox";
  const client = new MerchantClient({ environment, secretKey, baseUrl, maxRetries: 0 });
  return Object.assign(running, { keys, client });
}

describe("settlekit sandbox --json", () => {
  test("prints what a program needs first, and nothing but JSON on stdout", async () => {
    await using running = await sandbox();
    const { keys, client } = running;
    expect(Object.keys(keys)).toEqual([
      "url",
      "secretKey",
      "webhookSecret",
      "merchantId",
      "accessToken",
    ]);
    await client.payments.create(order);
    const { merchantId, accessToken } = keys;
    const config = await client.dashboard({ merchantId, accessToken }).withdrawalConfig();
    expect(config.supported.length).toBeGreaterThan(0);

    const { stdout, stderr } = await running.stop();
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    const events = lines.slice(1).map((line) => JSON.parse(line));
    expect(events.map(({ type, event, path }) => [type, event ?? path])).toEqual([
      ["change", "payment.created"],
      ["webhook", "payment.created"],
      ["request", paymentsPath],
      ["request", `/v1/merchants/${merchantId}/withdrawals/config`],
    ]);
  });

  test("its secrets are the same at every start, unless a seed asks for others", async () => {
    await using first = await sandbox();
    await using second = await sandbox();
    await using seeded = await sandbox("--seed", "mine");
    const { url: firstUrl, ...secrets } = first.keys;
    const { url: secondUrl, ...secretsAgain } = second.keys;
    expect(secretsAgain).toEqual(secrets);
    expect(secondUrl).not.toBe(firstUrl);
    for (const [name, value] of Object.entries(secrets)) {
      expect(seeded.keys[name as keyof Keys]).not.toBe(value);
    }
  });

  test("tells of every request once, when it is answered, and of what it changed", async () => {
    await using running = await sandbox("--now", "2026-01-01T00:00:00Z");
    const { requestId, data } = await running.client.payments.create(order).withResponse();
    const at = "2026-01-01T00:00:00.000Z";
    expect(await running.json("request")).toEqual({
      type: "request",
      sequence: expect.any(Number),
      at,
      method: "POST",
      path: paymentsPath,
      outcome: "answered",
      status: 201,
      requestId,
    });
    expect(await running.json("change")).toEqual({
      type: "change",
      sequence: expect.any(Number),
      at,
      event: "payment.created",
      eventId: expect.any(String),
      subjectId: data.paymentId,
      orderId: "order_1",
      status: "pending",
      clockSequence: null,
      requestId,
    });
    await running.client.payments.list();
    await running.stdout.next((line) => JSON.parse(line).method === "GET");
    const requests = running.stdout.all.filter((line) => line.includes('"type":"request"'));
    expect(requests).toHaveLength(2);
  });

  test("tells what time brings about, and when all is forgotten", async () => {
    await using running = await sandbox("--now", "2026-01-01T00:00:00Z");
    await running.client.payments.create(order);
    const control = (path: string, body: object) =>
      fetch(`${running.keys.url}/_sandbox/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Sandbox-Control": "1" },
        body: JSON.stringify(body),
      });
    expect((await control("clock/advance", { duration: "15m" })).status).toBe(200);
    const line = await running.stdout.next((text) => text.includes('"payment.updated"'));
    expect(JSON.parse(line)).toMatchObject({
      type: "change",
      at: "2026-01-01T00:15:00.000Z",
      status: "expired",
      requestId: null,
    });
    await control("reset", {});
    expect(await running.json("reset")).toEqual({ type: "reset" });
  });

  test("sends signed webhooks, and tells of every attempt", async () => {
    await using shop = await scriptedServer({});
    await using running = await sandbox("--webhook-url", `${shop.url}/webhooks?a=1`);
    await running.client.payments.create(order);
    expect(await running.json("attempt")).toMatchObject({
      event: "payment.created",
      attempt: 1,
      status: 200,
      error: null,
    });
    const [received] = shop.requests;
    if (received === undefined) throw new Error("nothing was received");
    expect(received.url).toBe("/webhooks?a=1");
    const webhooks = new Webhooks({ secret: running.keys.webhookSecret });
    expect(webhooks.verifySync(received)).toMatchObject({ data: { orderId: "order_1" } });
  });

  test("follows no redirect with a webhook", async () => {
    await using elsewhere = await scriptedServer({});
    await using shop = await scriptedServer({ status: 307, headers: { location: elsewhere.url } });
    await using running = await sandbox("--webhook-url", shop.url);
    await running.client.payments.create(order);
    expect(await running.json("attempt")).toMatchObject({ status: 307, error: null });
    expect(elsewhere.requests).toEqual([]);
  });

  test("says why a webhook was not answered", async () => {
    await using running = await sandbox("--webhook-url", "http://127.0.0.1:1");
    await running.client.payments.create(order);
    const attempt = await running.json("attempt");
    expect(attempt).toMatchObject({ status: null, error: expect.stringMatching(/./) });
  });

  test("plays faults, and tells of broken connections", async () => {
    await using running = await sandbox(
      ...["--fault", "POST /payments reset after"],
      ...["--fault", "GET /payments truncated"],
      ...["--fault", "GET /payments 503"],
    );
    const { client } = running;
    await expect(client.payments.create(order)).rejects.toThrow(/Nobody knows/);
    await expect(client.payments.list()).rejects.toThrow(/broke/);
    await expect(client.payments.list()).rejects.toThrow(/503/);
    expect((await client.payments.list()).data).toHaveLength(1);
    // Who hears first that a connection ended, this side or that, is open.
    const isTold = (method: string, outcome: string, status: number | null) =>
      running.stdout.next((line) => {
        const event = JSON.parse(line);
        return event.method === method && event.outcome === outcome && event.status === status;
      });
    await isTold("POST", "unanswered", null);
    await isTold("GET", "cut off", 200);
    await isTold("GET", "answered", 503);
    await isTold("GET", "answered", 200);
  });

  test("limits the rate when a fault asks for it", async () => {
    await using running = await sandbox("--fault", "0/s retry-after=7");
    await expect(running.client.payments.list()).rejects.toMatchObject({
      status: 429,
      retryAfterMs: 7000,
    });
  });
});

describe("settlekit sandbox", () => {
  test("prints for people on stderr alone, with lines to copy that make a client work", async () => {
    await using running = new CommandLine(["sandbox", "--port", "0"]);
    await running.stderr.next((line) => line.includes("Ctrl-C"));
    const variables: Record<string, string> = {};
    for (const line of running.stderr.all) {
      const [, name = "", value = ""] = /^ {2}export (\w+)=(\S+)$/.exec(line) ?? [];
      if (name !== "") variables[name] = value;
    }
    expect(Object.keys(variables)).toEqual([
      "SETTLEKIT_ENVIRONMENT",
      "SETTLEKIT_SANDBOX_URL",
      "SETTLEKIT_SECRET_KEY",
      "SETTLEKIT_WEBHOOK_SECRET",
    ]);
    const doctor = await settlekit(["doctor"], variables);
    expect(doctor).toMatchObject({ code: 0, stdout: "" });
    await running.stderr.next((line) => line.includes(`GET ${paymentsPath}?limit=1  200`));
    expect((await running.stop()).stdout).toBe("");
  });

  test("says what became of webhooks and broken connections", async () => {
    await using shop = await scriptedServer({ status: 500 });
    const fault = "GET /payments reset";
    const args = ["--port", "0", "--webhook-url", shop.url, "--fault", fault, "--seed", "a"];
    await using running = new CommandLine(["sandbox", ...args]);
    const line = await running.stderr.next((text) => text.includes("SANDBOX_URL="));
    const keyLine = await running.stderr.next((text) => text.includes("SECRET_KEY="));
    const client = new MerchantClient({
      environment: "sandbox",
      baseUrl: line.split("=")[1],
      secretKey: keyLine.split("=")[1],
      maxRetries: 0,
    });
    await client.payments.create(order);
    await client.payments.list().catch(() => {});
    await running.stderr.next((text) => text.includes("webhook payment.created  500"));
    await running.stderr.next((text) => text.includes(`GET ${paymentsPath}  connection broken`));
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends it at once, whatever is still being answered", async (signal, code) => {
    await using running = await sandbox("--fault", "GET /payments 600s before");
    const { client } = running;
    const calls = [client.payments.list(), client.payments.list()];
    const outcomes = calls.map((call) => call.then(() => "answered").catch(() => "broken"));
    // One of the two met the fault; when the other one is answered, it is waiting.
    await Promise.race(outcomes);
    expect(await running.stop(signal)).toMatchObject({ code, signal: null, stderr: "" });
    expect((await Promise.all(outcomes)).sort()).toEqual(["answered", "broken"]);
  });

  test("stops when nobody reads its output any more", async () => {
    await using running = await sandbox();
    running.process.stdout?.destroy();
    await running.client.payments.create(order);
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("says that a port is taken, and which one is free", async () => {
    await using other = await scriptedServer({});
    const { port } = new URL(other.url);
    const { code, stdout, stderr } = await settlekit(["sandbox", "--json", "--port", port]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is taken`);
    expect(stderr).toContain("--port 0");
  });

  test("listens for other machines only when told to, and says what that exposes", async () => {
    await using running = await sandbox("--host", "0.0.0.0");
    expect(running.stderr.text).toMatch(/Warning: Listening on 0\.0\.0\.0: every machine/);
    expect(running.stderr.text).toContain("--seed");
    await using quiet = await sandbox("--host", "127.0.0.1");
    expect(quiet.stderr.text).toBe("");
  });

  test("--open shows it in the browser", async () => {
    const folder = await mkdtemp(join(tmpdir(), "settlekit-open-"));
    for (const opener of ["open", "xdg-open"]) {
      const source = `#!${process.execPath}
        const [, , url] = process.argv;
        fetch(new URL("/opened?" + url, url)).then(() => {});`;
      await writeFile(join(folder, opener), source, { mode: 0o755 });
    }
    await using running = new CommandLine(["sandbox", "--port=0", "--json", "--open"], {
      PATH: folder,
    });
    const { url } = await running.json<Keys>();
    expect(await running.json("request")).toMatchObject({ path: `/opened?${url}/_sandbox` });
    await rm(folder, { recursive: true });
  });

  test("--open goes on where there is no browser", async () => {
    const args = ["sandbox", "--port=0", "--json", "--open"];
    await using running = new CommandLine(args, { PATH: "/nowhere" });
    const { url } = await running.json<Keys>();
    await running.stderr.next((line) => line.includes(`Open ${url}/_sandbox in yours`));
    expect((await fetch(url)).status).toBe(404);
  });

  test("answers to another name when it is allowed to, as in a network of containers", async () => {
    await using running = await sandbox("--allow-host", "sandbox", "--allow-host", "pay.internal");
    const { port } = new URL(running.keys.url);
    const statusFor = async (name: string) => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.end(
        `GET ${paymentsPath} HTTP/1.1\r\nHost: ${name}:${port}\r\nConnection: close\r\n\r\n`,
      );
      const [answer] = await once(socket, "data");
      return Number(String(answer).split(" ")[1]);
    };
    expect(await statusFor("sandbox")).toBe(401);
    expect(await statusFor("pay.internal")).toBe(401);
    expect(await statusFor("rebound.example")).toBe(403);
  });

  test("its own pages do not fill the log", async () => {
    await using running = await sandbox();
    await fetch(`${running.keys.url}/_sandbox/requests`);
    await running.client.payments.create(order);
    expect(await running.json("request")).toMatchObject({ path: paymentsPath });
  });

  test.each([
    ["--port", "http"],
    ["--webhook-url", "127.0.0.1:3000"],
    ["--now", "yesterday"],
    ["--fault", "POST /payments explode"],
    ["--fault", "POST /nowhere 503"],
    ["--fault", "POST /payments 999"],
    ["--host", "no such host"],
    ["--allow-host", "http://sandbox"],
  ])("%s %s is refused before anything listens", async (option, value) => {
    const { code, stdout, stderr } = await settlekit(["sandbox", "--port=0", option, value]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(option);
  });
});
