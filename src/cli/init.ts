import { resolve } from "node:path";
import { isRecord, parsedJson, show } from "../values.ts";
import { defaultSandboxUrl } from "../wire/credential.ts";
import { defineCommand, setting } from "./command.ts";
import { readText, writeVariables } from "./dotenv-file.ts";
import { UsageError } from "./exit-codes.ts";
import { path } from "./options.ts";
import { sandboxFrom, sandboxOptions, usualIdentity, variablesOf } from "./sandbox-options.ts";

export const initCommand = defineCommand({
  name: "init",
  brief: "Set up a project for the sandbox.",
  description:
    "Writes the sandbox's variables to .env, asking before it changes one, and prints starter code for the framework in package.json.",
  examples: ["settlekit init", "settlekit init --dotenv .env.development"],
  options: {
    path: setting("--dotenv PATH", "The file to write. Default: .env.", path).withDefault(".env"),
    seed: sandboxOptions.seed,
  },
  async run({ path, seed }, terminal) {
    // Before anything is written.
    const framework = frameworkOf(resolve("package.json"));
    const isNext = framework === frameworks.next;
    const sandbox = await sandboxFrom({ seed, identity: seed ?? usualIdentity });
    await writeVariables(path, variablesOf(sandbox, defaultSandboxUrl), terminal);
    terminal.say("", `Webhooks with ${framework.name}${isNext ? "" : ", in server.mjs"}:`, "");
    terminal.print(...programFor(framework, isNext).split("\n"));
    const word = /\s/.test(path) ? `"${path}"` : path;
    terminal.say("", "Start the sandbox, check the variables, and start your server:", "");
    terminal.say("  npx settlekit sandbox --webhook-url http://127.0.0.1:3000/webhooks");
    terminal.say(`  npx settlekit doctor --dotenv ${word}`);
    terminal.say(`  ${isNext ? nextCommand(word) : `node --env-file=${word} server.mjs`}`);
  },
});

type Framework = typeof nodeHttp;

const setup = `const client = new MerchantClient();
const webhooks = new Webhooks();
const port = Number(process.env.PORT ?? 3000);`;

const lazySetup = `// Functions, because \`next build\` loads this file without the variables.
let known: MerchantClient | undefined;
const client = () => (known ??= new MerchantClient());
const webhooks = new Webhooks({ secret: () => process.env.SETTLEKIT_WEBHOOK_SECRET ?? "" });`;

/** A complete program, or a route of Next.js. It compiles as JavaScript and, under strict settings, as TypeScript. */
function programFor({ imports, code }: Framework, isNext: boolean): string {
  const client = isNext ? "client()" : "client";
  return `${imports}import { isPaid, MerchantClient } from "settlekit";
import { Webhooks } from "settlekit/webhooks";

${isNext ? lazySetup : setup}

// The service's documentation mentions the second name, too.
webhooks.on("payment.updated", ({ data }) => settle(data.orderId ?? "", data.id));
webhooks.on("payment.confirmed", ({ data }) => settle(data.orderId ?? "", data.id));

async function settle(orderId = "", paymentId = "") {
  // An order may have several payments.
  const payments = paymentId
    ? [await ${client}.payments.get(paymentId)]
    : await ${client}.payments.findByOrderId(orderId);
  if (payments.length === 0) throw new Error("This payment is not listed yet.");
  if (payments.some(({ status }) => isPaid(status))) console.log(orderId, "is paid");
}

${code}`;
}

/** The start command of Next.js, which reads some of the files itself. */
function nextCommand(path: string): string {
  if (/^(?:\.\/)?\.env(?:\.development)?(?:\.local)?$/.test(path)) return "npx next dev";
  return `node --env-file=${path} node_modules/next/dist/bin/next dev`;
}

/** By dependency. Next.js and others sometimes come with Express or Koa, so they are checked first. */
const frameworks: Readonly<Record<string, Framework>> = {
  next: {
    name: "Next.js, in app/webhooks/route.ts",
    imports: "",
    code: "export const POST = webhooks.fetchHandler();",
  },
  hono: {
    name: "Hono and @hono/node-server",
    imports: 'import { serve } from "@hono/node-server";\nimport { Hono } from "hono";\n',
    code: `const receive = webhooks.fetchHandler();
const app = new Hono();
app.all("/webhooks", (context) => receive(context.req.raw));
serve({ fetch: app.fetch, port, hostname: "127.0.0.1" });`,
  },
  fastify: {
    name: "Fastify",
    imports:
      'import { fastify } from "fastify";\nimport { fastifyWebhooks } from "settlekit/webhooks/fastify";\n',
    code: `const app = fastify();
app.register(fastifyWebhooks, { webhooks, path: "/webhooks" });
await app.listen({ port, host: "127.0.0.1" });`,
  },
  koa: {
    name: "Koa",
    imports: 'import Koa from "koa";\n',
    code: `const receive = webhooks.nodeHandler();
const app = new Koa();
// Before any body parser, which discards the raw body.
app.use((context, next) =>
  context.path === "/webhooks" ? receive(context.req, context.res) : next(),
);
app.listen(port, "127.0.0.1");`,
  },
  express: {
    name: "Express",
    imports: 'import express from "express";\n',
    code: `const app = express();
// Before express.json(), which discards the raw body.
app.all("/webhooks", webhooks.nodeHandler());
app.listen(port, "127.0.0.1");`,
  },
};

const nodeHttp = {
  name: "node:http",
  imports: 'import { createServer } from "node:http";\n',
  code: `const receive = webhooks.nodeHandler();
createServer((request, response) => {
  if (request.url === "/webhooks") return receive(request, response);
  response.writeHead(404).end();
}).listen(port, "127.0.0.1");`,
};

/** @throws {UsageError} The file exists, but is not a JSON object. */
function frameworkOf(packageJson: string): Framework {
  const content = parsedJson(readText(packageJson, "{}"));
  if (!isRecord(content)) {
    const fact = content === undefined ? "is not JSON" : "is not a JSON object";
    throw new UsageError(
      `${show(packageJson)} ${fact}. Correct it, or remove it and run npm init. Nothing was written.`,
    );
  }
  const all = { ...Object(content.dependencies), ...Object(content.devDependencies) };
  const found = Object.entries(frameworks).find(([name]) => Object.hasOwn(all, name));
  return found?.[1] ?? nodeHttp;
}
