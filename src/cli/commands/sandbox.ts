import { ConfigurationError } from "../../errors.ts";
import { version } from "../../http/version.ts";
import type {
  ListenOptions,
  Sandbox,
  SandboxMerchant,
  SandboxServer,
} from "../../sandbox/index.ts";
import { defaultSandboxPort } from "../../wire/credential.ts";
import { defineCommand } from "../arguments/command.ts";
import { isLoopback, portFrom } from "../arguments/option-values.ts";
import { UsageError } from "../arguments/usage-error.ts";
import { environmentOf } from "../sandbox/environment.ts";
import { lineOf } from "../sandbox/event-line.ts";
import { faultExplanation } from "../sandbox/fault-text.ts";
import { openPage } from "../sandbox/open-page.ts";
import { requestsFirst } from "../sandbox/requests-first.ts";
import { sandboxFrom, sandboxOptions } from "../sandbox/sandbox-options.ts";
import { isOpenRequest, type TimelineEvent, watchTimeline } from "../sandbox/timeline-events.ts";
import type { Terminal } from "../terminal.ts";
import { untilStopped } from "../until-stopped.ts";

/** Where the sandbox shows what happens in it. */
const inspectorPath = "/_sandbox";

/** Keeps the secrets the same from start to start, so that an .env file stays valid. */
const usualIdentity = "settlekit sandbox";

export const sandboxCommand = defineCommand({
  name: "sandbox",
  description: [
    "Serves the whole payment service on this machine: payments, withdrawals, signed webhooks. Without",
    "--data nothing is stored: what was created is gone when it stops. The secrets are the same at",
    "every start. Ctrl-C stops it.",
    "",
    ...faultExplanation,
  ],
  options: {
    port: { value: "<port>", description: `Default ${defaultSandboxPort}; 0 takes any free one.` },
    host: {
      value: "<host>",
      description: "Default 127.0.0.1, which other machines cannot reach.",
    },
    "allow-host": {
      value: "<name>",
      multiple: true,
      description: "A name that clients may reach it by, such as that of its container.",
    },
    ...sandboxOptions,
    data: {
      value: "<file>",
      description:
        "A SQLite file that keeps everything for the next start; made where there is none.",
    },
    json: {
      description: "Print keys and events as lines of JSON on stdout, and no prose.",
    },
    open: { description: "Show the sandbox in the browser." },
  },
  examples: [
    "settlekit sandbox --webhook-url http://127.0.0.1:3000/webhooks",
    "settlekit sandbox --port 0 --json",
    "settlekit sandbox --data sandbox.sqlite --merchants 2",
    'settlekit sandbox --fault "POST /payments 503 after x2" --fault "GET /payments 800ms always"',
  ],
  async run({ values, terminal }) {
    const { json, host = "127.0.0.1", "allow-host": allowedHosts } = values;
    const port = portFrom(values.port, defaultSandboxPort);
    const { seed, data } = values;
    const sandbox = sandboxFrom(values, { seed, identity: seed ?? usualIdentity, data });
    const say = (event: TimelineEvent) => {
      const line = lineOf(event, terminal.paint);
      if (line !== undefined) terminal.say(line);
    };
    const print = (event: TimelineEvent) => {
      if (!isOpenRequest(event)) terminal.json(event);
    };
    const stopped = untilStopped();
    await watchTimeline(sandbox.fetch, json ? print : requestsFirst(say));
    const server = await listen(sandbox, { port, host, allowedHosts });

    if (!isLoopback(host)) for (const line of exposure(host, seed)) warn(terminal, line);
    if (json) terminal.json(keysOf(sandbox, server));
    else introduce(sandbox, server, values["webhook-url"], terminal);
    if (values.open) {
      const page = `${server.url}${inspectorPath}`;
      await openPage(page).catch(() =>
        warn(terminal, `No browser was found to open. Open ${page} in yours.`),
      );
    }

    const code = await stopped;
    await server.close();
    sandbox.close();
    return code;
  },
});

const optionOf: Readonly<Record<string, string>> = {
  port: "--port",
  host: "--host",
  allowedHosts: "--allow-host",
};

async function listen(sandbox: Sandbox, where: ListenOptions): Promise<SandboxServer> {
  try {
    return await sandbox.listen(where);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { code, param = "", message } = error;
    throw new UsageError(
      code === "port_taken"
        ? `Port ${where.port} on ${where.host} is taken, perhaps by another sandbox. Stop that one, or ` +
            "take any free port: --port 0"
        : `${optionOf[param] ?? param}: ${message}`,
    );
  }
}

/** What a program needs; the first line that `--json` prints. */
function keysOf({ merchants: [first, ...others] }: Sandbox, { url }: SandboxServer) {
  if (first === undefined || others.length === 0) return { url, ...(first && keysOfOne(first)) };
  return { url, ...keysOfOne(first), merchants: [first, ...others].map(keysOfOne) };
}

function keysOfOne({ secretKey, webhookSecret, merchantId, accessToken }: SandboxMerchant) {
  return { secretKey, webhookSecret, merchantId, accessToken };
}

function introduce(
  sandbox: Sandbox,
  server: SandboxServer,
  webhookUrl: string | undefined,
  { say, paint }: Terminal,
): void {
  say(`${paint("bold", `settlekit sandbox ${version}`)} at ${paint("bold", server.url)}`);
  say();
  for (const [name, value] of Object.entries(environmentOf(sandbox, server.url))) {
    say(`  export ${name}=${value}`);
  }
  say();
  for (const [index, merchant] of sandbox.merchants.entries()) {
    if (index > 0) say();
    say(`  merchant id    ${merchant.merchantId}`);
    say(`  access token   ${merchant.accessToken}`);
    if (index === 0) continue;
    say(`  secret key     ${merchant.secretKey}`);
    say(`  webhook secret ${merchant.webhookSecret}`);
  }
  say();
  say(`  webhooks to    ${webhookUrl ?? paint("dim", "nowhere yet; see --webhook-url")}`);
  say(`  inspector      ${server.url}${inspectorPath}`);
  say();
  say(paint("dim", "Ctrl-C stops it."));
}

function exposure(host: string, seed: string | undefined): string[] {
  const keys =
    seed === undefined
      ? "Without --seed its keys are the same everywhere, so anybody has them."
      : "";
  return [
    `Listening on ${host}: every machine that reaches this one can use the sandbox, and see what is ` +
      `created in it. ${keys}`.trimEnd(),
    "Leave out --host to listen on 127.0.0.1 only.",
  ];
}

function warn({ say, paint }: Terminal, line: string): void {
  say(`${paint("yellow", "Warning:")} ${line}`);
}
