import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
let project: string;

/** An empty project with the packed package installed and nothing else. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "settlekit-package-"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], {
    cwd: root,
  });
  // npm prints what the build says before its own JSON.
  const [{ filename }] = JSON.parse(stdout.slice(stdout.search(/^\[/m)));
  await writeFile(join(project, "package.json"), '{ "private": true }');
  await run("npm", ["install", "--no-audit", "--no-fund", join(project, filename)], {
    cwd: project,
  });
}, 120_000);

afterAll(() => rm(project, { recursive: true }));

async function node(file: string, source: string): Promise<string> {
  await writeFile(join(project, file), source);
  const { stdout, stderr } = await run(process.execPath, [file], { cwd: project });
  expect(stderr).toBe("");
  return stdout.trim();
}

const payAnOrder = `
  const sandbox = createSandbox({ deliver: async () => new Response() });
  const main = async () => {
    const server = await sandbox.listen({ port: 0 });
    const { secretKey } = sandbox;
    const client = new MerchantClient({ secretKey, environment: "sandbox", baseUrl: server.url });
    const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
    await sandbox.payments.simulate(paymentId, "success");
    const { body, headers } = signWebhook({ event: { event: "payment.updated", data: {} }, secret: "s" });
    const webhook = await new Webhooks({ secret: "s" }).verify({ body, headers });
    console.log(isPaid((await client.payments.get(paymentId)).status), webhook.event);
    await server.close();
  };
  main();
`;

test("the package installs alone: it has no dependencies, and its peers are optional", async () => {
  const installed = await readdir(join(project, "node_modules"));
  // npm keeps its own notes and links to commands beside what it installs.
  expect(installed.filter((name) => !name.startsWith("."))).toEqual(["settlekit"]);
  const manifest = join(project, "node_modules/settlekit/package.json");
  expect(JSON.parse(await readFile(manifest, "utf8"))).not.toHaveProperty("dependencies");
});

test("a module imports it, pays an order in the sandbox and verifies a webhook", async () => {
  const source = `
    import { isPaid, MerchantClient } from "settlekit";
    import { createSandbox } from "settlekit/sandbox";
    import { signWebhook, Webhooks } from "settlekit/webhooks";
    ${payAnOrder}`;
  expect(await node("import.mjs", source)).toBe("true payment.updated");
}, 30_000);

test("a CommonJS file requires it and does the same", async () => {
  const source = `
    const { isPaid, MerchantClient } = require("settlekit");
    const { createSandbox } = require("settlekit/sandbox");
    const { signWebhook, Webhooks } = require("settlekit/webhooks");
    ${payAnOrder}`;
  expect(await node("require.cjs", source)).toBe("true payment.updated");
}, 30_000);

test("README's quickstart runs as it stands", async () => {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const [, quickstart = ""] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  expect(await node("quickstart.mjs", quickstart)).toMatch(
    /^pay at http:\/\/127.0.0.1:\d+\/payment\/[0-9a-f-]+\norder_1 is completed$/,
  );
}, 30_000);

test("error classes are the same class in every entry", async () => {
  const source = `
    import * as main from "settlekit";
    import * as webhooks from "settlekit/webhooks";
    console.log(main.WebhookVerificationError === webhooks.WebhookVerificationError);`;
  expect(await node("classes.mjs", source)).toBe("true");
});

test("a strict TypeScript file that uses it type-checks, declarations included", async () => {
  await writeFile(
    join(project, "typed.ts"),
    `
    import { type CreatedPayment, MerchantClient, type Payment, RateLimitError } from "settlekit";
    import { createSandbox } from "settlekit/sandbox";
    import { Webhooks } from "settlekit/webhooks";

    const client = new MerchantClient({ environment: "testnet", timeoutMs: 1000 });
    export async function pay(): Promise<string> {
      const created: CreatedPayment = await client.payments.create({ amount: 1, orderId: "a" });
      const { data, requestId } = await client.payments.get(created.paymentId).withResponse();
      const payment: Payment = data;
      if (payment.status === "completed") return requestId ?? "";
      // @ts-expect-error a payment needs an amount
      await client.payments.create({ orderId: "a" });
      // @ts-expect-error a deposit needs an orderId
      await client.payments.create({ type: "deposit" });
      return payment.quotes[0]?.expectedAmountAsset ?? "";
    }
    export const webhooks = new Webhooks({ secret: "s" }).on("payment.updated", ({ data }) => {
      const orderId: string | null = data.orderId;
      console.log(orderId);
    });
    export const sandbox = createSandbox({ seed: "a" });
    export const wait = (error: unknown) => (RateLimitError.is(error) ? error.retryAfterMs : 0);
    `,
  );
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2023"];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  for (const resolution of [
    ["esnext", "bundler"],
    ["node20", "node16"],
  ]) {
    const [module = "", moduleResolution = ""] = resolution;
    const parameters = [
      tsc,
      ...flags,
      "--module",
      module,
      "--moduleResolution",
      moduleResolution,
      "typed.ts",
    ];
    const { stdout } = await run(process.execPath, parameters, { cwd: project }).catch(
      (error) => error,
    );
    expect(stdout).toBe("");
  }
}, 60_000);

test("npm run demo pays one order, underpays one, lets one expire, and says so", async () => {
  const { stdout } = await run(process.execPath, ["examples/demo.ts"], { cwd: root });
  expect(stdout).toContain("All three orders are where they should be.");
}, 30_000);
