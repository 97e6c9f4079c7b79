import { unlessAborted } from "./abort.ts";
import type { Exchange } from "./exchange.ts";
import { asFetched } from "./reply.ts";
import { readBodyText } from "./request-body.ts";
import { isForOwnRoutes } from "./routing.ts";

/** What is behind the doors of a sandbox, in process and on a port. */
export interface Doors {
  readonly service: Exchange;
  /** The sandbox's pages, its description and its control. */
  readonly own: (request: Request) => Promise<Response>;
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
