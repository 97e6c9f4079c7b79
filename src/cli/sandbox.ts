import { existsSync, statSync } from "node:fs";
import { isLoopback } from "../http/base-url.ts";
import { version } from "../runtime.ts";
import type { Sandbox, SandboxEvent, SandboxServer } from "../sandbox/index.ts";
import { defaultSandboxPort } from "../wire/credential.ts";
import { defineCommand, setting, toggle } from "./command.ts";
import { writeVariables } from "./dotenv-file.ts";
import { faultExplanation } from "./faults.ts";
import { json, listenOptions, path } from "./options.ts";
import { printEvent, requestsFirst } from "./sandbox-lines.ts";
import { sandboxFrom, sandboxOptions, usualIdentity, variablesOf } from "./sandbox-options.ts";
import { paint, type Terminal, untilStopped } from "./terminal.ts";

export const sandboxCommand = defineCommand({
  name: "sandbox",
  brief: "Run a sandbox of the payment service on this machine.",
  description: `Serves payments, withdrawals and signed webhooks until Ctrl-C. Without --data, nothing is stored: everything created is gone when it stops. The secrets are the same at every start.

${faultExplanation}`,
  examples: [
    "settlekit sandbox --webhook-url http://127.0.0.1:3000/webhooks",
    "settlekit sandbox --port 0 --json",
    "settlekit sandbox --data sandbox.sqlite --merchants 2",
    "settlekit sandbox --write-dotenv .env",
    'settlekit sandbox --fault "POST /payments 503 after x2" --fault "GET /payments 800ms always"',
  ],
  options: {
    ...listenOptions(defaultSandboxPort),
    allowedHosts: setting(
      "--allow-host NAME",
      "A host name by which clients may reach the sandbox, such as its container's. May be repeated.",
    ).multiple(),
    ...sandboxOptions,
    data: setting(
      "--data FILE",
      "An SQLite file that keeps everything for the next start. Created if it does not exist.",
      path,
    ).optional(),
    // Node itself refuses --env-file if the file is missing, even among a script's own arguments.
    envFile: setting(
      "--env-file, --write-dotenv PATH",
      "Write the variables to this file, such as .env, asking before one is changed. For a new file, use --write-dotenv.",
      path,
    ).optional(),
    json,
    open: toggle("--open", "Open the inspector in the browser."),
  },
  async run({ port, host, allowedHosts, envFile, json: _, open, ...values }, terminal) {
    const { seed, now, data = "" } = values;
    const isKept = data !== "" && existsSync(data) && statSync(data).size > 0;
    const isIgnored = isKept && (seed ?? now) !== undefined;
    using sandbox = await sandboxFrom({ ...values, identity: seed ?? usualIdentity });
    const print = (event: SandboxEvent) => printEvent(event, terminal.report, { at: new Date() });
    const stopped = untilStopped();
    sandbox.on("*", terminal.asJson ? print : requestsFirst(print));
    await using server = await sandbox.listen({ port, host, allowedHosts });

    if (!isLoopback(host)) warnOfExposure(host, seed, terminal);
    if (isIgnored) terminal.warn(`--seed and --now have no effect on ${data}: it exists already.`);
    // Before the first line: a script that waits for it may read the file at once.
    if (envFile) await writeVariables(envFile, variablesOf(sandbox, server.url), terminal);
    terminal.report(keysOf(sandbox, server), ...introduction(sandbox, server));
    if (open) await openInspector(server, terminal);
    return await stopped;
  },
});

/** The first line that `--json` prints. */
function keysOf(sandbox: Sandbox, { url }: SandboxServer) {
  const keys = sandbox.merchants.map(({ secretKey, webhookSecret, merchantId, accessToken }) => {
    return { secretKey, webhookSecret, merchantId, accessToken };
  });
  return { url, ...keys[0], ...(keys.length > 1 && { merchants: keys }) };
}

/** The first lines without `--json`. */
function introduction(sandbox: Sandbox, server: SandboxServer): string[] {
  const { clock } = sandbox;
  const merchants = sandbox.merchants.map((merchant) => [
    `  merchant id    ${merchant.merchantId}`,
    `  access token   ${merchant.accessToken}`,
    `  webhooks to    ${merchant.webhookUrl ?? paint("dim", "nowhere yet; see --webhook-url")}`,
    "",
  ]);
  return [
    `${paint("bold", `settlekit sandbox ${version}`)} at ${paint("bold", server.url)}`,
    "",
    ...Object.entries(variablesOf(sandbox, server.url)).map(
      ([it, value]) => `  export ${it}=${value}`,
    ),
    "",
    ...merchants.flat(),
    ...(clock.isFrozen() ? [`  clock          frozen at ${clock.now().toISOString()}`] : []),
    `  inspector      ${server.url}/_sandbox`,
    "",
    paint("dim", "Ctrl-C stops it."),
  ];
}

async function openInspector({ url }: SandboxServer, terminal: Terminal): Promise<void> {
  const page = `${url}/_sandbox`;
  const { default: open } = await import("open");
  await open(page).catch(() => {
    terminal.warn(`No browser could be opened. Open ${page} yourself.`);
  });
}

function warnOfExposure(host: string, seed: string | undefined, { warn }: Terminal): void {
  const keys =
    seed === undefined ? " Without --seed, its keys are the default ones, which are public." : "";
  warn(
    `Listening on ${host}: every machine that reaches this one can use the sandbox and see what is ` +
      `created in it.${keys}`,
  );
  warn(
    "Clients on other machines also need SETTLEKIT_SANDBOX_ALLOW_HTTP=1. Leave out --host to listen on 127.0.0.1 only.",
  );
}
