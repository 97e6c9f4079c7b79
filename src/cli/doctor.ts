import { ConfigurationError, SettlekitError } from "../errors.ts";
import { isLoopback } from "../http/base-url.ts";
import type { ClientOptions, Configuration } from "../options.ts";
import type { Environment } from "../wire/credential.ts";
import { defineCommand } from "./command.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { clientFrom, noKey, serviceOptions } from "./options.ts";
import { sandboxFrom, usualIdentity } from "./sandbox-options.ts";
import { paint } from "./terminal.ts";

export const doctorCommand = defineCommand({
  name: "doctor",
  brief: "Check configuration, connection, clock and credentials.",
  description:
    "Checks the configuration that a MerchantClient without options would use here: the SETTLEKIT_* variables, whether the key matches the environment, the connection to the service, the clock, and unexpected fields in the response to one read-only call. No secret is printed. The exit code is that of the worst finding.",
  examples: ["settlekit doctor --dotenv .env", "settlekit exec -- settlekit doctor --json"],
  options: serviceOptions,
  async run({ headerPrefix }, terminal) {
    const marks = {
      ok: paint("green", "✓"),
      warning: paint("yellow", "!"),
      failure: paint("red", "✗"),
    };
    const failures: number[] = [];
    for await (const [check, finding] of examine(headerPrefix)) {
      const { level, message, exitCode } = finding;
      if (level === "failure") failures.push(exitCode);
      terminal.result({ type: "finding", check, ...finding }, `${marks[level]} ${message}`);
    }
    // The lowest code is the root cause: authentication needs a configuration, and a response needs a network.
    return failures.length === 0 ? exitCodes.ok : Math.min(...failures);
  },
});

interface Finding {
  readonly level: "ok" | "warning" | "failure";
  /** The fact and, for a problem, the cure. */
  readonly message: string;
  /** The exit code of a failure; 0 if payments work anyway. */
  readonly exitCode: number;
}

const ok = (message: string): Finding => ({ level: "ok", message, exitCode: 0 });
const warning = (message: string): Finding => ({ level: "warning", message, exitCode: 0 });
const failure = (message: string, exitCode: number): Finding => {
  return { level: "failure", message, exitCode };
};

type NamedFinding = readonly [check: string, finding: Finding];

/** Valid values for the settings that are not being checked. */
const placeholders: ClientOptions = {
  secretKey: noKey,
  baseUrl: "https://service.invalid",
  headerPrefix: "X-Service",
};

/**
 * Yields each finding as soon as it is known. Each variable is checked by itself, so that one mistake does not hide
 * another. Nothing is sent while the configuration is invalid.
 */
async function* examine(headerPrefix: string | undefined): AsyncGenerator<NamedFinding, void> {
  // Loaded late. Otherwise bundles with a helper alone, such as isPaid, would contain its schemas.
  const { configure } = await import("../options.ts");
  const judged = (
    options: ClientOptions,
    finding: (configuration: Configuration) => Finding,
    exitCode: number = exitCodes.usage,
  ): Finding => {
    try {
      return finding(configure({ ...placeholders, ...options }));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return failure(error.message, exitCode);
    }
  };
  const environment = judged({}, ({ environment }) => {
    const isSet = Boolean(process.env.SETTLEKIT_ENVIRONMENT);
    const source = isSet ? "" : ", because SETTLEKIT_ENVIRONMENT is not set";
    return ok(`The environment is ${environment}${source}.`);
  });
  yield ["environment", environment];
  if (environment.level === "failure") return;
  const judgements = {
    baseUrl: judged({ baseUrl: undefined }, ({ baseUrl }) => ok(`The base URL is ${baseUrl}.`)),
    headerPrefix: judged({ headerPrefix }, ({ wire }) =>
      ok(`The service's own headers begin with ${wire.headerPrefix}.`),
    ),
    secretKey: judged({ secretKey: undefined }, secretKeyFinding, exitCodes.authentication),
  };
  yield* Object.entries(judgements);
  yield ["webhookSecret", await webhookSecretFinding()];
  if (Object.values(judgements).some(({ level }) => level === "failure")) return;
  yield* await callFindings(configure({ headerPrefix }).environment, headerPrefix);
}

function secretKeyFinding({ environment }: Configuration): Finding {
  const { SETTLEKIT_SECRET_KEY: key = "" } = process.env;
  if (key.startsWith("sk_")) {
    const kind = key.startsWith("sk_test_") ? "test" : "production";
    return ok(`The secret key is a ${kind} key, which suits ${environment}.`);
  }
  return warning(
    "The secret key does not start with sk_test_ or sk_, as known keys do. Check that " +
      `SETTLEKIT_SECRET_KEY holds the secret key; the service decides whether it suits ${environment}.`,
  );
}

async function webhookSecretFinding(): Promise<Finding> {
  const { SETTLEKIT_ENVIRONMENT: environment, SETTLEKIT_WEBHOOK_SECRET: secret } = process.env;
  if (!secret) {
    return warning(
      "SETTLEKIT_WEBHOOK_SECRET is not set. Set it where webhooks are received, or pass secret there.",
    );
  }
  if (/^[\s"']|[\s"']$/.test(secret)) {
    return failure(
      "SETTLEKIT_WEBHOOK_SECRET has white space or quotes around it, which would become part of the " +
        "secret, and no signature would match. Remove them.",
      exitCodes.usage,
    );
  }
  const { headerPrefix } = placeholders;
  const { webhookSecret: known } = await sandboxFrom({ identity: usualIdentity, headerPrefix });
  if (environment === "sandbox" || secret !== known) return ok("The webhook secret is set.");
  return failure(
    "SETTLEKIT_WEBHOOK_SECRET is the sandbox's default one, which is public: anyone could sign webhooks. Set that of your endpoint.",
    exitCodes.usage,
  );
}

/** Makes one read-only call to check the connection, the service's clock, the key and the response. */
async function callFindings(
  environment: Environment,
  headerPrefix: string | undefined,
): Promise<NamedFinding[]> {
  const findings: NamedFinding[] = [];
  const drift = new Set<string>();
  const client = await clientFrom({
    timeoutMs: 10_000,
    maxRetries: 0,
    headerPrefix,
    onEvent: (event) => {
      if (event.type === "drift") for (const path of event.paths) drift.add(path);
    },
    // Not a custom `fetch`, which would hide from the client that nothing was sent.
    hooks: {
      afterResponse: [
        ({ request, response: { headers } }) => {
          const receivedAtMs = Date.now();
          const duration = `${receivedAtMs - sentAtMs} ms`;
          findings.push(["reach", ok(`${new URL(request.url).origin} answered in ${duration}.`)]);
          const dateText = headers.get("date");
          findings.push(["clock", clockFinding({ dateText, sentAtMs, receivedAtMs }, environment)]);
        },
      ],
    },
  });
  const sentAtMs = Date.now();
  try {
    const { status, data } = await client.payments.list({ limit: 1 }).withResponse();
    const total = data.pagination?.total;
    const count = typeof total === "number" ? ` Payments: ${total}.` : "";
    const fact = `payments.list accepted the secret key and answered ${status}.${count}`;
    findings.push(["call", ok(fact)]);
  } catch (error) {
    if (!SettlekitError.is(error)) throw error;
    const isReached = findings.length > 0;
    const message = error.message + (isReached ? "" : proxyAdvice(client.baseUrl));
    findings.push([isReached ? "call" : "reach", failure(message, exitCodeOf(error))]);
  }
  if (drift.size > 0) {
    const finding = warning(
      `The response differs from what settlekit expects at ${[...drift].join(", ")}. These fields are ` +
        "returned as received: check that your code does not rely on them, and update settlekit.",
    );
    findings.push(["drift", finding]);
  }
  return findings;
}

/** Many networks have no other way out than a proxy, and Node ignores its variable unless told otherwise. */
function proxyAdvice(baseUrl: string): string {
  const { protocol, hostname } = new URL(baseUrl);
  const variable = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const isSet = process.env[variable] || process.env[variable.toLowerCase()];
  if (!isSet || process.env.NODE_USE_ENV_PROXY === "1" || isLoopback(hostname)) return "";
  return ` ${variable} is set, but Node uses it only if NODE_USE_ENV_PROXY is 1.`;
}

/** The default of the option toleranceSeconds: webhooks with a larger difference are refused. */
const toleranceSeconds = 300;
const noticeableSeconds = 30;

/**
 * How much this machine's clock differs from the service's.
 *
 * @param exchange The response's Date header, and when this machine's clock saw the request and the response.
 */
export function clockFinding(
  exchange: { dateText: string | null; sentAtMs: number; receivedAtMs: number },
  environment: Environment,
): Finding {
  const serviceMs = Date.parse(exchange.dateText ?? "");
  if (Number.isNaN(serviceMs)) {
    return warning(
      "The response has no Date header, so the clocks cannot be compared. Check the proxies between this " +
        "machine and the service.",
    );
  }
  // The header has a resolution of one second, so it is half a second behind on average.
  const middleMs = (exchange.sentAtMs + exchange.receivedAtMs) / 2;
  const seconds = Math.round((middleMs - (serviceMs + 500)) / 1000);
  const distance = Math.abs(seconds);
  if (distance < noticeableSeconds) {
    return ok(`This machine's clock agrees with the service's to within ${distance} s.`);
  }
  if (environment === "sandbox") {
    return ok(`The sandbox's clock is ${distance} s off: it was moved or frozen.`);
  }
  const fact = `This machine's clock is ${distance} s ${seconds > 0 ? "ahead of" : "behind"} the service's.`;
  const cure = "Synchronise it with a time server (NTP).";
  return distance < toleranceSeconds
    ? warning(`${fact} ${cure}`)
    : failure(`${fact} Webhooks are refused as too old or too new. ${cure}`, exitCodes.usage);
}
