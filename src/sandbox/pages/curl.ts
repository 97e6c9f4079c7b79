/** A request to be repeated by hand. */
interface Repeatable {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What curl sends by itself, and rightly. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|accept|accept-encoding|accept-language|user-agent|sec-.*|keep-alive|cookie|origin|referer)$/;

/** A request as a command for a POSIX shell. Credentials stand in it as variables, to be filled there. */
export function curlFor({ method, url, headers, body }: Repeatable): string {
  // curl itself would take brackets and braces for several addresses, and a body that begins with @ for a file.
  const globs = /[[\]{}]/.test(url) ? ["--globoff"] : [];
  const words = ["curl", ...globs, "-X", quoted(method), quoted(url)];
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.test(name.toLowerCase())) continue;
    words.push("-H", value === "[redacted]" ? credential(name) : quoted(`${name}: ${value}`));
  }
  if (body !== "") words.push("--data-raw", quoted(body));
  return words.join(" ");
}

/** Double quotes let the shell fill the variable. */
function credential(name: string): string {
  if (!/^[\w-]+$/.test(name)) return quoted(`${name}: `);
  if (name.endsWith("authorization")) return `"${name}: Bearer $SETTLEKIT_ACCESS_TOKEN"`;
  return name.endsWith("-payment-secret")
    ? `"${name}: $SETTLEKIT_PAYMENT_SECRET"`
    : `"${name}: $SETTLEKIT_SECRET_KEY"`;
}

function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
