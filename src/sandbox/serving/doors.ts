import { unlessAborted } from "./abort.ts";
import type { Exchange } from "./exchange.ts";
import type { ReceivedHeaders } from "./received.ts";
import { asFetched } from "./reply.ts";
import { readBodyText } from "./request-body.ts";

/** What is behind the doors of a sandbox, in process and on a port. */
export interface Doors {
  readonly service: Exchange;
  /** The sandbox's pages, its description and its control. */
  readonly own: (request: Request) => Promise<Response>;
}

const ownPath = /^\/((_sandbox|payment)(\/|$)|openapi\.json$)/;

/**
 * Whether a request is for the sandbox's own routes, its pages, description and control, and not for the service's.
 * At the root, that is only so for a browser.
 */
export function isForOwnRoutes(headers: ReceivedHeaders, pathname: string): boolean {
  if (pathname === "/") return headers.get("Accept")?.includes("text/html") ?? false;
  return ownPath.test(pathname);
}

/** The door in process. */
export function fetchFrom({ service, own }: Doors, request: Request): Promise<Response> {
  return unlessAborted(request.signal, async (gone) => {
    const { method, headers } = request;
    const url = new URL(request.url);
    if (isForOwnRoutes(headers, url.pathname)) return own(request);
    const bodyText = await readBodyText(request);
    const onGone = (listener: () => void) => gone.addEventListener("abort", listener);
    return asFetched(await service({ method, url, headers, bodyText, onGone }), method);
  });
}
