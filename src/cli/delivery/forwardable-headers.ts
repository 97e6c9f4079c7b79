/** They belong to one connection, or are written anew for the next one. */
const ownOfConnection: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The headers of a request, in its own order and spelling, without those that are about the connection.
 *
 * @param rawHeaders Names and values in turns.
 */
export function forwardableHeaders(rawHeaders: readonly string[]): string[] {
  const pairs: [name: string, value: string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  }
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  const isLeftOut = (name: string) => ownOfConnection.has(name) || named.includes(name);
  return pairs.filter(([name]) => !isLeftOut(name.toLowerCase())).flat();
}
