/** What the shop is told from outside. The client and the webhooks read SETTLEKIT_* themselves. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  readonly databaseFile: string;
  /** Where the customer's browser finds the payment service: where the client finds it, too. */
  readonly serviceUrl: string;
}

const urlVariables: Readonly<Record<string, string>> = {
  production: "SETTLEKIT_BASE_URL",
  testnet: "SETTLEKIT_TESTNET_URL",
  sandbox: "SETTLEKIT_SANDBOX_URL",
};

/** Throws where a variable cannot be right, so that the shop does not start rather than fail later. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const { HOST: host = "127.0.0.1", DATABASE_FILE: databaseFile = "shop.sqlite" } = variables;
  const port = Number(variables.PORT ?? 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`PORT is "${variables.PORT}". Set it to a whole number from 1 to 65535.`);
  }
  const urlVariable = urlVariables[variables.SETTLEKIT_ENVIRONMENT ?? "production"] ?? "";
  const serviceUrl = variables[urlVariable] ?? "";
  if (!URL.canParse(serviceUrl)) {
    throw new Error(`${urlVariable} is "${serviceUrl}". Set it to the payment service's URL.`);
  }
  return { host, port, databaseFile, serviceUrl };
}
