import { MerchantClient } from "../client.ts";
import { ConfigurationError, SettlekitError } from "../errors.ts";
import { type ClientOptions, type Configuration, configure } from "../options.ts";
import type { Environment } from "../wire/credential.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { durationText } from "./terminal.ts";

/** One check of `settlekit doctor`. */
export interface Finding {
  readonly check:
    | "environment"
    | "baseUrl"
    | "secretKey"
    | "webhookSecret"
    | "reach"
    | "clock"
    | "call"
    | "drift";
  readonly level: "ok" | "warning" | "failure";
  /** The fact and, if something is wrong, what to do. */
  readonly message: string;
  /** The exit code of a failure; 0 if payments work anyway. */
  readonly exitCode: number;
}

function ok(check: Finding["check"], message: string): Finding {
  return { check, level: "ok", message, exitCode: exitCodes.ok };
}

function warning(check: Finding["check"], message: string): Finding {
  return { check, level: "warning", message, exitCode: exitCodes.ok };
}

function failure(check: Finding["check"], message: string, exitCode: number): Finding {
  return { check, level: "failure", message, exitCode };
}

/** Yields each finding as soon as it is known. Nothing is sent while the configuration is invalid. */
export async function* examine(headerPrefix: string | undefined): AsyncGenerator<Finding, void> {
  const configuration = configurationFindings();
  yield* configuration;
  const isUsable = configuration.every(
    ({ check, level }) => level !== "failure" || check === "webhookSecret",
  );
  if (isUsable) yield* await callFindings(configure().environment, headerPrefix);
}

/** Placeholders for what is not being checked. */
const anyKey = { secretKey: () => "" };
const anyUrl = { baseUrl: "https://service.invalid" };

/** Each variable is checked by itself, so that one mistake does not hide another. */
function configurationFindings(): Finding[] {
  const judged = (
    check: Finding["check"],
    options: ClientOptions,
    finding: (configuration: Configuration) => Finding,
  ): Finding => {
    try {
      return finding(configure(options));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const exitCode = check === "secretKey" ? exitCodes.authentication : exitCodes.usage;
      return failure(check, error.message, exitCode);
    }
  };
  const environment = judged("environment", { ...anyKey, ...anyUrl }, ({ environment }) => {
    const isSet = Boolean(process.env.SETTLEKIT_ENVIRONMENT);
    const source = isSet ? "" : ", because SETTLEKIT_ENVIRONMENT is not set";
    return ok("environment", `The environment is ${environment}${source}.`);
  });
  if (environment.level === "failure") return [environment];
  return [
    environment,
    judged("baseUrl", anyKey, ({ baseUrl }) => ok("baseUrl", `The base URL is ${baseUrl}.`)),
    judged("secretKey", anyUrl, secretKeyFinding),
    webhookSecretFinding(),
  ];
}

function secretKeyFinding({ environment }: Configuration): Finding {
  const { SETTLEKIT_SECRET_KEY: key = "" } = process.env;
  if (key.startsWith("sk_")) {
    const kind = key.startsWith("sk_test_") ? "test" : "production";
    return ok("secretKey", `The secret key is a ${kind} key, which suits ${environment}.`);
  }
  return warning(
    "secretKey",
    "The secret key starts with neither sk_test_ nor sk_, as known keys do. Check that " +
      `SETTLEKIT_SECRET_KEY holds the secret key; the service decides whether it suits ${environment}.`,
  );
}

function webhookSecretFinding(): Finding {
  const { SETTLEKIT_WEBHOOK_SECRET: secret } = process.env;
  if (!secret) {
    return warning(
      "webhookSecret",
      "SETTLEKIT_WEBHOOK_SECRET is not set. Set it where webhooks are received, or pass secret there.",
    );
  }
  if (/^[\s"']|[\s"']$/.test(secret)) {
    return failure(
      "webhookSecret",
      "SETTLEKIT_WEBHOOK_SECRET has white space or quotes around it, which would become part of the " +
        "secret, and no signature would match. Remove them.",
      exitCodes.usage,
    );
  }
  return ok("webhookSecret", "The webhook secret is set.");
}

/** Makes one read-only call to check the connection, the service's clock, the key and the response. */
async function callFindings(
  environment: Environment,
  headerPrefix: string | undefined,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const drift = new Set<string>();
  const client = new MerchantClient({
    timeoutMs: 10_000,
    maxRetries: 0,
    headerPrefix,
    onEvent: (event) => {
      if (event.type === "drift") for (const path of event.paths) drift.add(path);
    },
    // A `fetch` instead of a hook would hide from the client that nothing was sent.
    hooks: {
      afterResponse: [
        ({ request, response: { headers } }) => {
          const receivedAtMs = Date.now();
          const duration = durationText(receivedAtMs - sentAtMs);
          findings.push(ok("reach", `${new URL(request.url).origin} answered in ${duration}.`));
          const dateText = headers.get("date");
          findings.push(clockFinding({ dateText, sentAtMs, receivedAtMs, environment }));
        },
      ],
    },
  });
  const sentAtMs = Date.now();
  try {
    const { status, data } = await client.payments.list({ limit: 1 }).withResponse();
    const total = data.pagination?.total;
    const count = typeof total === "number" ? ` Payments: ${total}.` : "";
    findings.push(
      ok("call", `payments.list accepted the secret key and answered ${status}.${count}`),
    );
  } catch (error) {
    if (!SettlekitError.is(error)) throw error;
    const wasReached = findings.length > 0;
    const hint =
      !wasReached && environment === "sandbox" ? " Start it with: settlekit sandbox" : "";
    findings.push(failure(wasReached ? "call" : "reach", error.message + hint, exitCodeOf(error)));
  }
  if (drift.size > 0) {
    findings.push(
      warning(
        "drift",
        `The response differs from what settlekit expects at ${[...drift].join(", ")}. These fields are ` +
          "returned as received: check that your code does not rely on them, and update settlekit.",
      ),
    );
  }
  return findings;
}

interface ClockFacts {
  /** The response's Date header. */
  readonly dateText: string | null;
  /** On this machine's clock, like `receivedAtMs`. */
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly environment: Environment;
}

/** Webhooks with a larger difference are refused, unless toleranceSeconds says otherwise. */
const toleranceSeconds = 300;
const noticeableSeconds = 30;

/** How much this machine's clock differs from the service's. */
export function clockFinding(facts: ClockFacts): Finding {
  const serviceMs = Date.parse(facts.dateText ?? "");
  if (Number.isNaN(serviceMs)) {
    return warning(
      "clock",
      "The response has no Date header, so the clocks cannot be compared. Check the proxies between this " +
        "machine and the service.",
    );
  }
  // The header has a resolution of one second, so it is half a second behind on average.
  const middleMs = (facts.sentAtMs + facts.receivedAtMs) / 2;
  const seconds = Math.round((middleMs - (serviceMs + 500)) / 1000);
  const distance = Math.abs(seconds);
  if (distance < noticeableSeconds) {
    return ok("clock", `This machine's clock agrees with the service's to within ${distance} s.`);
  }
  if (facts.environment === "sandbox") {
    return ok("clock", `The sandbox's clock is ${distance} s off: it was moved or frozen.`);
  }
  const fact = `This machine's clock is ${distance} s ${seconds > 0 ? "ahead of" : "behind"} the service's.`;
  const cure = "Synchronise it with a time server (NTP).";
  return distance < toleranceSeconds
    ? warning("clock", `${fact} ${cure}`)
    : failure("clock", `${fact} Webhooks are refused for their age. ${cure}`, exitCodes.usage);
}

/**
 * The exit code of the worst finding. The codes are in order of dependence: no authentication without a configuration,
 * and no response without a network.
 */
export function worstOf(findings: readonly Finding[]): number {
  const codes = findings.map(({ exitCode }) => exitCode).filter((code) => code !== exitCodes.ok);
  return codes.length === 0 ? exitCodes.ok : Math.min(...codes);
}
