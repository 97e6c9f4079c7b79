import type { AddressInfo } from "node:net";

/** Where a server is reached. An address that means "every interface" is reached by the loopback address. */
export function serverUrl({ address, family, port }: AddressInfo): string {
  if (address === "0.0.0.0" || address === "::") return `http://127.0.0.1:${port}`;
  return family === "IPv6" ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
