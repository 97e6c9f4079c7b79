/** The shop's own settings. The client and the webhooks read SETTLEKIT_* themselves. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  /** Where customers reach the shop. */
  readonly publicUrl: string;
  readonly databaseFile: string;
}

/** Throws if a variable is invalid, so that the shop fails at startup rather than later. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const { HOST: host = "127.0.0.1", DATABASE_FILE: databaseFile = "shop.sqlite" } = variables;
  const port = Number(variables.PORT ?? 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`PORT is "${variables.PORT}". Set it to a whole number from 1 to 65535.`);
  }
  const publicUrl = variables.PUBLIC_URL ?? `http://127.0.0.1:${port}`;
  if (!URL.canParse(publicUrl)) {
    throw new Error(`PUBLIC_URL is "${publicUrl}". Set it to a URL such as https://shop.example.`);
  }
  return { host, port, publicUrl, databaseFile };
}
