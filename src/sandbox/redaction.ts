/** The beginning of a text. */
interface KeptText {
  readonly text: string;
  /** How many characters of the rest were left out. */
  readonly omitted: number;
}

/** Longer than any request that the service takes, with metadata and all. */
const maxCharacters = 8_192;

export function keptText(whole: string): KeptText {
  const text = whole.slice(0, maxCharacters);
  return { text, omitted: whole.length - text.length };
}

/** Secret keys, payment secrets, webhook secrets and access tokens; also one that was cut off at the end. */
const secrets =
  /\b(?:sk_[\w-]{8,}|ps_[0-9a-f]{16,}|whsec_[\w-]{8,}|at_test_[\w-]{8,}|(?:sk|ps|whsec|at_test)_[\w-]*$)/g;

export function withoutSecrets(text: string): string {
  // As every one of them has; most texts need no closer look.
  return text.includes("_") ? text.replace(secrets, "[redacted]") : text;
}

const secretHeaders: ReadonlySet<string> = new Set(["authorization", "cookie", "set-cookie"]);

/** Under any prefix: a client configured with another one still sends a secret. */
function isSecretHeader(name: string): boolean {
  return (
    secretHeaders.has(name) || name.endsWith("-secret-key") || name.endsWith("-payment-secret")
  );
}

/** Headers as a plain object that is safe to print, whatever their names are. */
export function keptHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const kept: [string, string][] = [];
  for (const [anyCase, value] of headers) {
    const name = anyCase.toLowerCase();
    kept.push([name, isSecretHeader(name) ? "[redacted]" : withoutSecrets(value)]);
  }
  return Object.fromEntries(kept);
}
