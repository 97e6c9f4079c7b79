import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serverUrl } from "../../sandbox/serving/server-url.ts";
import { Webhooks } from "../../webhooks/index.ts";
import { defineCommand } from "../arguments/command.ts";
import { dotenvOption, loadDotenv } from "../arguments/dotenv.ts";
import { isLoopback, portFrom, secondsFrom, urlFrom } from "../arguments/option-values.ts";
import { UsageError } from "../arguments/usage-error.ts";
import { receptionLines, receptionRecord } from "../delivery/reception-line.ts";
import { webhookOptions, webhookSecretFrom } from "../delivery/webhook-options.ts";
import { createReceiver, type Reception } from "../delivery/webhook-receiver.ts";
import { untilStopped } from "../until-stopped.ts";

const usualPort = 4011;

export const listenCommand = defineCommand({
  name: "listen",
  description: [
    "Receives webhooks at any path, verifies and prints them, and says why a signature fails. With",
    "--forward-to, what is authentic goes on to your endpoint, body and headers unchanged, and the",
    "sender gets your endpoint's status. The secret is never printed. Ctrl-C stops it.",
  ],
  options: {
    port: { value: "<port>", description: `Default ${usualPort}; 0 takes any free one.` },
    host: {
      value: "<host>",
      description: "Default 127.0.0.1, which other machines cannot reach.",
    },
    "forward-to": {
      value: "<url>",
      description: "Your endpoint. Exactly this URL; redirects are not followed.",
    },
    ...webhookOptions,
    tolerance: {
      value: "<seconds>",
      description: "How old a webhook may be. Default 300; Infinity for any age.",
    },
    ...dotenvOption,
    json: { description: "Print each webhook as a line of JSON on stdout, and no prose." },
  },
  examples: ["settlekit listen --forward-to http://127.0.0.1:3000/webhooks"],
  async run({ values, terminal }) {
    const { json, host = "127.0.0.1", tolerance } = values;
    loadDotenv(values.dotenv);
    const port = portFrom(values.port, usualPort);
    const forwardTo = values["forward-to"] && urlFrom("--forward-to", values["forward-to"]);
    const webhooks = new Webhooks({
      secret: webhookSecretFrom(values.secret),
      headerPrefix: values["header-prefix"],
      toleranceSeconds: tolerance === undefined ? 300 : secondsFrom("--tolerance", tolerance),
      // Somebody who is told has the causes of mismatches looked for.
      logger: { warn() {}, error() {} },
    });
    const onReception = (reception: Reception) => {
      if (json) terminal.json(receptionRecord(reception));
      else for (const line of receptionLines(reception, terminal.paint)) terminal.say(line);
    };
    const stopped = untilStopped();
    const receiver = createReceiver({ webhooks, forwardTo: forwardTo || undefined, onReception });
    await using server = await listen(createServer(receiver), port, host);

    if (!isLoopback(host)) {
      const label = terminal.paint("yellow", "Warning:");
      terminal.say(
        `${label} Listening on ${host}: every machine that reaches this one can send requests here. ` +
          "Only what is signed is passed on.",
      );
    }
    if (json) terminal.json({ url: server.url });
    else {
      terminal.say(`Listening for webhooks at ${terminal.paint("bold", server.url)}`);
      if (forwardTo) terminal.say(`Passing them on to ${forwardTo.href}`);
      terminal.say(terminal.paint("dim", "Ctrl-C stops it."));
    }
    return await stopped;
  },
});

interface Listening extends AsyncDisposable {
  readonly url: string;
}

async function listen(server: Server, port: number, host: string): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE";
      reject(
        new UsageError(
          isTaken
            ? `Port ${port} on ${host} is taken. Stop what listens there, or take any free port: --port 0`
            : `Nothing can listen on port ${port} of ${host}: ${error.message}. Choose others.`,
        ),
      );
    });
    server.listen(port, host, resolve);
  });
  return {
    url: serverUrl(server.address() as AddressInfo),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
