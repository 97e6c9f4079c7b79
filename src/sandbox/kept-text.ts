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
  return text.replace(secrets, "[redacted]");
}

/** Under any prefix: a client configured with another one still sends a secret. */
const secretHeader = /^authorization$|^cookie$|^set-cookie$|-secret-key$|-payment-secret$/i;

/** Headers as a plain object that is safe to print, whatever their names are. */
export function keptHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries(
    Array.from(headers, ([name, value]) => [
      name.toLowerCase(),
      secretHeader.test(name) ? "[redacted]" : withoutSecrets(value),
    ]),
  );
}
