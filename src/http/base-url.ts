import { invalidOption, show } from "../values.ts";

const maxUrlLength = 2_000;

/**
 * Returns the base URL without a trailing slash.
 *
 * @throws {ConfigurationError} when it is not https, or http on this machine, or has more than a path.
 */
export function checkBaseUrl(
  value: string,
  { allowHttp = false, httpCure = "", credential = "secret key", name = "baseUrl" } = {},
): string {
  const fail = (fact: string) => invalidOption("baseUrl", `${name} ${fact}`, "invalid_base_url");
  // "localhost:4010" is a valid URL with the scheme "localhost:".
  if (value.length > maxUrlLength || !URL.canParse(value) || !value.includes("://")) {
    throw fail("is not a URL. Give the full URL, such as https://api.example.com.");
  }
  const url = new URL(value);
  if (url.username !== "" || url.password !== "") {
    throw fail(`contains credentials. Remove them: the ${credential} has its own option.`);
  }
  if (url.search !== "" || url.hash !== "") {
    throw fail("has a query or a fragment. Remove what follows the path.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw fail(`has the scheme ${url.protocol.slice(0, -1)}. Use https, or http on this machine.`);
  }
  if (!isSecureUrl(url, allowHttp)) {
    throw fail(
      `is plain http to ${show(url.hostname)}, which would send the ${credential} in plain text. Use https, or http ` +
        `to 127.0.0.1 or localhost.${httpCure}`,
    );
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
}

/** Whether requests to the URL cannot be read in transit. */
export function isSecureUrl({ protocol, hostname }: URL, allowHttp: boolean): boolean {
  if (protocol === "https:") return true;
  return protocol === "http:" && (allowHttp || isLoopback(hostname));
}

/** Whether the host is this machine, so that traffic stays on it. */
export function isLoopback(hostname: string): boolean {
  return /(^|\.)localhost$|^(::1|\[::1\])$|^127(\.\d+){3}$/.test(hostname);
}
