import type { WebhookMessage } from "../webhooks/endpoint.ts";

/** Headers that curl sends itself. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|accept|accept-encoding|accept-language|user-agent|sec-.*|keep-alive|cookie|origin|referer|proxy-authorization)$/;

/** A request as a curl command for a POSIX shell, with variables in place of credentials. */
export function curlFor(request: WebhookMessage & { readonly method: string }): string {
  const { method, url, headers, body } = request;
  // curl would expand brackets and braces into several URLs, and read a body that starts with @ from a file.
  const globs = /[[\]{}]/.test(url) ? ["--globoff"] : [];
  // With -X HEAD, curl would wait for a body.
  const how = method === "HEAD" ? ["--head"] : ["-X", quoted(method)];
  const words = ["curl", ...globs, ...how, quoted(url)];
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.test(name.toLowerCase())) continue;
    words.push("-H", value === "[redacted]" ? credential(name) : quoted(`${name}: ${value}`));
  }
  if (body !== "") words.push("--data-raw", quoted(body));
  return words.join(" ");
}

/** In double quotes, so that the shell expands the variable. */
function credential(name: string): string {
  if (!/^[\w-]+$/.test(name)) return quoted(`${name}: `);
  if (name.endsWith("authorization")) return `"${name}: Bearer $SETTLEKIT_ACCESS_TOKEN"`;
  const variable = name.endsWith("-payment-secret") ? "PAYMENT_SECRET" : "SECRET_KEY";
  return `"${name}: $SETTLEKIT_${variable}"`;
}

function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
