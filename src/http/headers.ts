import { invalidOption, show, withoutSecrets } from "../values.ts";
import { credentialHeaderNames, idempotencyKeyHeader } from "../wire/credential.ts";

const connectionHeader =
  /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

/** Returns the headers with lower-case names. Errors never contain values, because headers often contain tokens. */
export function checkHeaders(
  headers: Readonly<Record<string, string>>,
  headerPrefix: string,
): Record<string, string> {
  const checked: Record<string, string> = {};
  const fail = (fact: string) =>
    invalidOption("headers", withoutSecrets(`headers: ${fact}`), "invalid_header");
  const reserved = [...credentialHeaderNames(headerPrefix), idempotencyKeyHeader].map((name) =>
    name.toLowerCase(),
  );
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name)) {
      throw fail("one of the header names is not valid. Use letters, digits and hyphens.");
    }
    if (reserved.includes(lowerCase)) {
      throw fail(
        `${name} is set by settlekit itself. Use secretKey for the credential and idempotencyKey for ` +
          "the key.",
      );
    }
    if (connectionHeader.test(lowerCase)) {
      throw fail(`${name} belongs to the connection, which fetch controls. Leave it out.`);
    }
    if (typeof value !== "string") {
      throw fail(`the value of ${name} must be a string, got ${show(value)}.`);
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw fail(`the value of ${name} has a line break or a character that headers cannot carry.`);
    }
    checked[lowerCase] = value;
  }
  return checked;
}
