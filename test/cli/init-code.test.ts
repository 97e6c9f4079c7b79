import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { expect, test, vi } from "vitest";
import { entries } from "../../scripts/entries.ts";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { signedDelivery } from "../../src/testing/index.ts";
import { freePort } from "../free-port.ts";
import { built, settlekit, variablesWith } from "./command-line.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

async function codeFor(framework: string, folder: string): Promise<string> {
  const packageJson = JSON.stringify({ dependencies: { [framework]: "*" } });
  await writeFile(join(folder, "package.json"), packageJson);
  return (await settlekit(["init"], {}, folder)).stdout;
}

async function temporaryFolder() {
  const path = await mkdtemp(join(root, "node_modules/.cache/init-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const frameworks = ["next", "hono", "fastify", "koa", "express", "none"];

/** The code with the built package in place of the installed one. */
function withBuild(code: string): string {
  return code.replaceAll(/"settlekit(?:\/([\w/]+))?"/g, (_, entry = "index") =>
    JSON.stringify(join(built, `${entry}.js`)),
  );
}

test("settlekit init prints code that type-checks under strict settings", async () => {
  const tsconfig = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      paths: Object.fromEntries(
        Object.entries(entries).map(([name, file]) => [
          `settlekit${name.slice(1)}`,
          [join(root, file)],
        ]),
      ),
    },
    include: ["*.ts"],
    exclude: [],
  };
  // Inside the project, so that packages such as express are found.
  await using project = await temporaryFolder();
  await writeFile(join(project.path, "tsconfig.json"), JSON.stringify(tsconfig));
  for (const framework of frameworks) {
    const code = await codeFor(framework, project.path);
    await writeFile(join(project.path, `${framework}.ts`), code);
  }
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "--project", project.path];
  const { stdout } = await execute(process.execPath, args).catch((error) => error);
  expect(stdout).toBe("");
});

test.each(frameworks.slice(1))(
  "settlekit init prints a program for %s that receives webhooks on this machine only",
  async (framework) => {
    await using project = await temporaryFolder();
    const program = join(project.path, "server.mjs");
    await writeFile(program, withBuild(await codeFor(framework, project.path)));
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    const { secretKey, webhookSecret: secret } = sandbox;
    const port = await freePort();
    const env = variablesWith({
      SETTLEKIT_ENVIRONMENT: "sandbox",
      SETTLEKIT_SANDBOX_URL: server.url,
      SETTLEKIT_SECRET_KEY: secretKey,
      SETTLEKIT_WEBHOOK_SECRET: secret,
      PORT: String(port),
    });
    const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
    const printed = Promise.all([text(child.stdout), text(child.stderr)]);
    const url = `http://127.0.0.1:${port}/webhooks`;
    try {
      const { status } = await vi.waitFor(() => fetch(url));
      expect(status).toBe(405);
      const client = new MerchantClient({ secretKey, environment: "sandbox", baseUrl: server.url });
      const { paymentId: id } = await client.payments.create({ amount: 2500, orderId: "order_1" });
      await sandbox.payments.simulate(id, "success");
      const data = { status: "completed", orderId: "order_1" };
      for (const event of [
        { event: "payment.updated", data: { ...data, id } },
        { event: "payment.confirmed", data },
      ]) {
        const { request } = signedDelivery({ event, secret });
        expect((await fetch(request(url))).status).toBe(200);
      }
      await expect(fetch(url.replace("127.0.0.1", "127.0.0.2"))).rejects.toThrow("fetch failed");
    } finally {
      child.kill();
    }
    expect(await printed).toEqual(["order_1 is paid\norder_1 is paid\n", ""]);
  },
);

test("settlekit init prints code for Next.js that `next build` can load without the variables", async () => {
  await using project = await temporaryFolder();
  const code = await codeFor("next", project.path);
  const { outputText } = ts.transpileModule(withBuild(code), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  const route = join(project.path, "route.mjs");
  await writeFile(route, outputText);
  const load = `console.log(Object.keys(await import(${JSON.stringify(pathToFileURL(route))})))`;
  const args = ["--input-type=module", "--eval", load];
  const { stdout } = await execute(process.execPath, args, { env: variablesWith({}) });
  // Next.js refuses any other export of a route.
  expect(stdout).toBe("[ 'POST' ]\n");
});
