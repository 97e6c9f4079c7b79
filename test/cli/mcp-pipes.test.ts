import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { scriptedServer } from "../scripted-server.ts";
import { main, variablesWith } from "./command-line.ts";

describe("settlekit mcp between pipes", () => {
  test("answers all requests that were piped to it before it exits", async () => {
    await using service = await scriptedServer({ body: { data: [], id: "p_1" } });
    const clientInfo = { name: "script", version: "1" };
    const requests = [
      ["initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }],
      ["tools/call", { name: "get_payment", arguments: { id: "p_1" } }],
      ["tools/call", { name: "list_payments", arguments: {} }],
    ].map(([method, params], id) => JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const child = spawn(process.execPath, [main, "mcp"], {
      env: variablesWith({
        SETTLEKIT_ENVIRONMENT: "sandbox",
        SETTLEKIT_SANDBOX_URL: service.url,
        SETTLEKIT_SECRET_KEY: "sk_test_0123456789",
      }),
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.end(`${requests.join("\n")}\n`);
    const answers = (await text(child.stdout)).trimEnd().split("\n");
    expect(answers.map((line) => JSON.parse(line).id).sort()).toEqual([0, 1, 2]);
  });

  test("does not warn when many long results wait for their reader", async () => {
    const { promise: allAnswered, resolve } = Promise.withResolvers<void>();
    let left = 30;
    await using service = await scriptedServer((response) => {
      response.on("close", () => --left === 0 && resolve());
      response.end(JSON.stringify({ data: [{ id: "p_1", note: "n".repeat(100_000) }] }));
    });
    const calls = Array.from({ length: left }, (_, id) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "list_payments" },
      }),
    );
    // Begins to read when it is told to.
    const reader = "{ read -r _ <&3; wc -l; }";
    const child = spawn("sh", ["-c", `"$0" "$1" mcp | ${reader}`, process.execPath, main], {
      env: variablesWith({
        SETTLEKIT_ENVIRONMENT: "sandbox",
        SETTLEKIT_SANDBOX_URL: service.url,
        SETTLEKIT_SECRET_KEY: "sk_test_0123456789",
      }),
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    child.stdin?.end(`${calls.join("\n")}\n`);
    await allAnswered;
    (child.stdio[3] as Writable).end("\n");
    const outputs = [child.stdout, child.stderr].map((output) => output && text(output));
    const [count, warnings] = await Promise.all(outputs);
    expect([Number(count), warnings]).toEqual([30, ""]);
  });
});
