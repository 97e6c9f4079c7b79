import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { timeOfDay } from "../../src/cli/terminal.ts";
import { MerchantClient } from "../../src/index.ts";
import { scriptedServer } from "../scripted-server.ts";
import { CommandLine, settlekit } from "./command-line.ts";
import { order, paymentsPath, sandbox } from "./running-sandbox.ts";

describe("settlekit sandbox", () => {
  test("prints for people on stderr only, with export lines that configure a client", async () => {
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
    const { SETTLEKIT_SANDBOX_URL: url } = variables;
    expect(running.stderr.all).toContain(`  inspector      ${url}/_sandbox`);
    expect(running.stderr.all).toContain("  webhooks to    nowhere yet; see --webhook-url");
    expect(running.stderr.text).not.toContain("frozen");
    const doctor = await settlekit(["doctor"], variables);
    expect(doctor).toMatchObject({ code: 0, stderr: "" });
    await running.stderr.next((line) => line.includes(`GET ${paymentsPath}?limit=1  200`));
    expect((await running.stop()).stdout).toBe("");
  });

  test("prints the outcome of webhooks and broken connections", async () => {
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
    const printed = running.stderr.all.flatMap((text) => /POST|→/.exec(text) ?? []).map(String);
    expect(printed).toEqual(["POST", "→"]);
    await running.stderr.next((text) => text.includes(`GET ${paymentsPath}  connection broken`));
  });

  test("prints the time on this machine, even if its clock is frozen", async () => {
    const now = "2026-01-01T00:00:00Z";
    await using running = new CommandLine(["sandbox", "--port", "0", "--now", now]);
    const line = await running.stderr.next((text) => text.includes("SANDBOX_URL="));
    await fetch(`${line.split("=")[1]}/v1/nowhere`);
    const printed = await running.stderr.next((text) => text.includes("GET /v1/nowhere"));
    expect(printed.slice(0, 8)).not.toBe(timeOfDay(new Date(now)));
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends it at once, even with requests in progress", async (signal, code) => {
    await using running = await sandbox("--fault", "GET /payments 600s before");
    const { client } = running;
    const calls = [client.payments.list(), client.payments.list()];
    const outcomes = calls.map((call) => call.then(() => "answered").catch(() => "broken"));
    // One of the two met the fault, and waits by the time the other is answered.
    await Promise.race(outcomes);
    expect(await running.stop(signal)).toMatchObject({ code, signal: null, stderr: "" });
    expect((await Promise.all(outcomes)).sort()).toEqual(["answered", "broken"]);
  });

  test("exits when its output is no longer read", async () => {
    await using running = await sandbox();
    running.process.stdout?.destroy();
    await running.client.payments.create(order);
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("can be stopped while nothing reads its output", async () => {
    await using running = await sandbox();
    running.process.stdout?.pause();
    // More than a pipe holds.
    const url = `${running.keys.url}/${"a".repeat(10_000)}`;
    for (let requests = 0; requests < 60; requests++) await fetch(url);
    running.process.kill("SIGTERM");
    expect(await once(running.process, "exit")).toEqual([143, null]);
    running.process.stdout?.resume();
  });

  test("says that a port is taken, and suggests --port 0", async () => {
    await using other = await scriptedServer({});
    const { port } = new URL(other.url);
    const { code, stdout, stderr } = await settlekit(["sandbox", "--json", "--port", port]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ type: "error", error: { code: "port_taken" } });
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use`);
    expect(stderr).toContain("0 takes any free one");
  });

  test("listens for other machines only with --host, and warns about it", async () => {
    await using running = await sandbox("--host", "0.0.0.0");
    const warning = await running.stderr.next((line) => line.startsWith("Warning: Listening on"));
    expect(warning).toMatch(/ 0\.0\.0\.0: every machine .*--seed/);
    await using quiet = await sandbox("--host", "127.0.0.1");
    expect((await quiet.stop()).stderr).toBe("");
  });

  test("answers to the names of --allow-host, as in a container network", async () => {
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

  test("does not print requests for its own pages", async () => {
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
    ["--data", ""],
    ["--now", "2026-02-30"],
    ["--now", "9999-01-01"],
    ["--header-prefix", "a b"],
  ])("refuses %s %s before it listens", async (option, value) => {
    const { code, stdout, stderr } = await settlekit(["sandbox", "--port=0", option, value]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`${option}|${value}`));
  });
});
