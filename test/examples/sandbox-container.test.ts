import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { Example } from "./example.ts";
import { scratchFolder } from "./scratch-folder.ts";

const { folder } = new Example("sandbox-container");
const containerfile = await readFile(join(folder, "Containerfile"), "utf8");
const compose = await readFile(join(folder, "compose.yaml"), "utf8");
const main = resolve(import.meta.dirname, "../../src/cli/main.ts");

/** The container's command. The indented CMD is the health check's. */
const command: string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(containerfile)?.[1] ?? "[]");
const inCompose = [...compose.matchAll(/^ {6}- (settlekit|sandbox|--\S+)$/gm)].map(
  ([, word = ""]) => word,
);
const healthCheck: string[] = JSON.parse(/^ {2}CMD (\[.*\])$/m.exec(containerfile)?.[1] ?? "[]");

/** Starts what the container runs, on a free port and with its volume in a folder. */
async function started(words: readonly string[], volume: string) {
  const [program, ...parameters] = words.map((word) => word.replace("/data/", `${volume}/`));
  expect(program).toBe("settlekit");
  const child = spawn(process.execPath, [main, ...parameters, "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  return {
    child,
    facts: JSON.parse(line) as Record<"url" | "secretKey" | "webhookSecret", string>,
  };
}

async function stopped(child: ChildProcess): Promise<unknown> {
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  return code;
}

function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url);
    const asked = request(`${url}/_sandbox/clock`, { headers: { host: `${host}:${port}` } });
    asked.on("error", reject).on("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.end();
  });
}

it("the container's command serves only its own host name, passes the health check, and keeps its data", async () => {
  await using scratch = await scratchFolder();
  const first = await started(command, scratch.path);
  const { url, secretKey } = first.facts;
  expect(await statusFor(url, "sandbox")).toBe(200);
  expect(await statusFor(url, "evil.example")).toBe(403);

  const [node, ...parameters] = healthCheck.map((word) =>
    word.replace("http://127.0.0.1:4010", url),
  );
  expect(node).toBe("node");
  await promisify(execFile)(process.execPath, parameters);
  await expect(
    promisify(execFile)(
      process.execPath,
      healthCheck.slice(1).map((word) => word.replace("4010", "1")),
    ),
  ).rejects.toThrow();

  const headers = { "content-type": "application/json", "x-service-secret-key": secretKey };
  const body = JSON.stringify({ amount: 2500, currency: "USD", orderId: "order_1" });
  const path = "/v1/external/secretkey-auth/payments";
  expect((await fetch(url + path, { method: "POST", headers, body })).status).toBe(201);
  expect(await stopped(first.child)).toBe(143);

  const second = await started(command, scratch.path);
  const list = await (await fetch(second.facts.url + path, { headers })).json();
  expect(list).toMatchObject({ data: [{ orderId: "order_1" }] });
  await stopped(second.child);
});

it("compose runs the same command with webhooks, and gives the shop the sandbox's keys", async () => {
  await using scratch = await scratchFolder();
  const asWritten = command.join(" ").replaceAll(/(--\S+) (?!-)/g, "$1=");
  expect(inCompose.join(" ")).toBe(`${asWritten} --webhook-url=http://127.0.0.1:3000/webhooks`);
  const { child, facts } = await started(inCompose, scratch.path);
  expect(compose).toContain(`SETTLEKIT_SECRET_KEY: ${facts.secretKey}\n`);
  expect(compose).toContain(`SETTLEKIT_WEBHOOK_SECRET: ${facts.webhookSecret}\n`);
  await stopped(child);
});
