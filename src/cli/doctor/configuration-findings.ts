import { type ClientOptions, type Configuration, configure } from "../../configuration.ts";
import { ConfigurationError } from "../../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Stand for what is not examined at the moment. */
const anyKey = { secretKey: () => "" };
const anyUrl = { baseUrl: "https://service.invalid" };

/** What the variables say, each judged by itself: one mistake must not hide another. */
export function configurationFindings(variables: Variables): Finding[] {
  const environment = judged({ ...anyKey, ...anyUrl }, variables);
  if (environment instanceof ConfigurationError) {
    return [failure("environment", environment.message, exitCodes.usage)];
  }
  const { environment: name } = environment;
  const source = variables.SETTLEKIT_ENVIRONMENT
    ? ""
    : ", because SETTLEKIT_ENVIRONMENT is not set";
  return [
    ok("environment", `The environment is ${name}${source}.`),
    baseUrlFinding(judged(anyKey, variables)),
    secretKeyFinding(judged(anyUrl, variables), variables),
    webhookSecretFinding(variables),
  ];
}

function baseUrlFinding(judgement: Configuration | ConfigurationError): Finding {
  if (judgement instanceof ConfigurationError) {
    return failure("baseUrl", judgement.message, exitCodes.usage);
  }
  return ok("baseUrl", `The base URL is ${judgement.baseUrl}.`);
}

function secretKeyFinding(
  judgement: Configuration | ConfigurationError,
  { SETTLEKIT_SECRET_KEY: key = "" }: Variables,
): Finding {
  if (judgement instanceof ConfigurationError) {
    return failure("secretKey", judgement.message, exitCodes.authentication);
  }
  const { environment } = judgement;
  if (key.startsWith("sk_test_")) {
    return ok("secretKey", `The secret key is a test key, which goes with ${environment}.`);
  }
  if (key.startsWith("sk_")) {
    return ok("secretKey", "The secret key is a production key, which goes with production.");
  }
  return warning(
    "secretKey",
    "The secret key starts with neither sk_test_ nor sk_, as keys are known to: whether it goes with " +
      `${environment} shows when it is used. Check that SETTLEKIT_SECRET_KEY holds the secret key.`,
  );
}

function webhookSecretFinding({ SETTLEKIT_WEBHOOK_SECRET: secret }: Variables): Finding {
  if (!secret) {
    return warning(
      "webhookSecret",
      "SETTLEKIT_WEBHOOK_SECRET is not set. Set it where webhooks are received, or pass secret there.",
    );
  }
  if (/^[\s"']|[\s"']$/.test(secret)) {
    return failure(
      "webhookSecret",
      "SETTLEKIT_WEBHOOK_SECRET has white space or quotes around it, which would be part of the " +
        "secret: no signature would match. Remove them.",
      exitCodes.usage,
    );
  }
  return ok("webhookSecret", "The webhook secret is set.");
}

function judged(options: ClientOptions, variables: Variables): Configuration | ConfigurationError {
  try {
    return configure(options, variables);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
}
