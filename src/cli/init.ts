import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isRecord, parsedJson, show } from "../values.ts";
import { defaultSandboxUrl } from "../wire/credential.ts";
import { withoutByteOrderMark, writeVariables } from "./dotenv-file.ts";
import { UsageError } from "./exit-codes.ts";
import { defineCommand, path, setting } from "./options.ts";
import { sandboxFrom, sandboxOptions, usualIdentity, variablesOf } from "./sandbox-options.ts";

export const initCommand = defineCommand({
  name: "init",
  brief: "Set up a project for the sandbox.",
  description:
    "Writes the sandbox's variables to .env, asking before it changes one, and prints starter code for the framework in package.json.",
  examples: ["settlekit init", "settlekit init --dotenv .env.development"],
  options: {
    path: setting("--dotenv PATH", "The file to write.", path).withDefault(".env"),
    seed: sandboxOptions.seed,
  },
  async run({ path, seed }, terminal) {
    // Before anything is written.
    const { framework, file } = await projectOf(resolve("package.json"));
    const isNext = framework === frameworks.next;
    const sandbox = await sandboxFrom({ seed, identity: seed ?? usualIdentity });
    await writeVariables(path, variablesOf(sandbox, defaultSandboxUrl), terminal);
    terminal.say();
    terminal.say(`Webhooks with ${framework.name}${isNext ? "" : `, in ${file}`}:`);
    terminal.say();
    const setup = isNext
      ? [...lazyClients, ...handler("client()")]
      : [...clients, ...handler("client")];
    for (const line of [...imports, ...setup, ...framework.code]) terminal.print(line);
    terminal.say();
    terminal.say("Start the sandbox, and your server with the variables:");
    terminal.say();
    terminal.say("  npx settlekit sandbox --webhook-url http://127.0.0.1:3000/webhooks");
    terminal.say(`  ${isNext ? nextCommand(path) : `node --env-file=${path} ${file}`}`);
  },
});

const imports = [
  'import { isPaid, MerchantClient } from "settlekit";',
  'import { Webhooks } from "settlekit/webhooks";',
  "",
];

const clients = ["export const client = new MerchantClient();", "const webhooks = new Webhooks();"];

const lazyClients = [
  "// Functions, because `next build` loads this file without the variables.",
  "let known: MerchantClient | undefined;",
  "const client = () => (known ??= new MerchantClient());",
  "const webhooks = new Webhooks({",
  '  secret: () => process.env.SETTLEKIT_WEBHOOK_SECRET ?? "",',
  "});",
];

const handler = (client: string) => [
  "// The service's documentation mentions the second name, too.",
  'for (const event of ["payment.updated", "payment.confirmed"]) {',
  "  webhooks.on(event, async ({ data }) => {",
  "    // An order may have several payments.",
  "    const payments = data.id",
  `      ? [await ${client}.payments.get(String(data.id))]`,
  `      : await ${client}.payments.findByOrderId(String(data.orderId ?? ""));`,
  '    if (payments.length === 0) throw new Error("This payment is not listed yet.");',
  '    if (payments.some(({ status }) => isPaid(status))) console.log(data.orderId, "is paid");',
  "  });",
  "}",
  "",
];

interface Framework {
  readonly name: string;
  readonly code: readonly string[];
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
    code: ["export const POST = webhooks.fetchHandler();"],
  },
  hono: {
    name: "Hono",
    code: [
      "const receive = webhooks.fetchHandler();",
      'app.post("/webhooks", (context) => receive(context.req.raw));',
    ],
  },
  fastify: {
    name: "Fastify",
    code: [
      'import { fastifyWebhooks } from "settlekit/webhooks/fastify";',
      'app.register(fastifyWebhooks, { webhooks, path: "/webhooks" });',
    ],
  },
  koa: {
    name: "Koa, before any body parser",
    code: [
      "const receive = webhooks.nodeHandler();",
      "app.use((context, next) =>",
      '  context.path === "/webhooks" ? receive(context.req, context.res) : next(),',
      ");",
    ],
  },
  express: {
    name: "Express, before express.json()",
    code: ['app.post("/webhooks", webhooks.nodeHandler());'],
  },
};

const nodeHttp: Framework = {
  name: "node:http",
  code: [
    'import { createServer } from "node:http";',
    "createServer(webhooks.nodeHandler()).listen(3000);",
  ],
};

/** @throws {UsageError} The file exists, but is not a JSON object. */
async function projectOf(packageJson: string): Promise<{ framework: Framework; file: string }> {
  const text = await readFile(packageJson, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw new UsageError(`${show(packageJson)} cannot be read: ${error.message}`);
  });
  const content = parsedJson(withoutByteOrderMark(text));
  if (!isRecord(content)) {
    const fact = content === undefined ? "is not JSON" : "is not a JSON object";
    throw new UsageError(
      `${show(packageJson)} ${fact}. Correct it, or remove it and run npm init. Nothing was written.`,
    );
  }
  const all = { ...Object(content.dependencies), ...Object(content.devDependencies) };
  const found = Object.entries(frameworks).find(([name]) => Object.hasOwn(all, name));
  // The printed code is ES modules, but npm init creates CommonJS packages.
  const file = content.type === "module" ? "server.js" : "server.mjs";
  return { framework: found?.[1] ?? nodeHttp, file };
}
