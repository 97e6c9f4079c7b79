import { ConfigurationError } from "../../errors.ts";

/**
 * Tells whether a request's host may name this sandbox. A web page can have its own name point at this
 * machine (DNS rebinding), and the browser then takes the sandbox for a part of that page; the name in the
 * request still gives it away. An address is no name, so it cannot be made to point elsewhere.
 */
type IsAllowedHost = (hostname: string) => boolean;

/**
 * Allows addresses, the names of this machine itself, the one that is listened on, and these.
 *
 * @throws {ConfigurationError} code `invalid_allowed_host`; `cannot_listen` for an empty host.
 */
export function allowedHosts(names: readonly string[], listeningOn: string): IsAllowedHost {
  if (listeningOn === "") throw emptyHost();
  const allowed = new Set([...names.map(checkedName), canonical(listeningOn)]);
  return (hostname) => {
    const name = canonical(hostname);
    return allowed.has(name) || isAddress(name) || /^(.+\.)?localhost$/.test(name);
  };
}

/** As the URL of a request has it: an IPv6 address in brackets, IPv4 in four decimal parts. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

function canonical(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

/** Node takes it for every interface, and a variable that is not set must not open this machine. */
function emptyHost() {
  return new ConfigurationError(
    "host is empty, perhaps because a variable is not set. Leave it out to listen on 127.0.0.1, or pass " +
      '"0.0.0.0" to let other machines in.',
    { code: "cannot_listen", param: "host" },
  );
}

/** What could never match would only be found out later, by a request that is refused. */
function checkedName(name: string): string {
  const parsed = URL.parse(`http://${name}/`);
  if (parsed?.hostname === canonical(name)) return canonical(name);
  throw new ConfigurationError(
    `${JSON.stringify(name)} is no host name. Pass names alone in allowedHosts, without scheme and port, such as ` +
      '"sandbox".',
    { code: "invalid_allowed_host", param: "allowedHosts" },
  );
}
