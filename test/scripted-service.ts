import { http } from "msw/http";
import { setupServer } from "msw/node";
import type { Answer, Received } from "./scripted-server.ts";

/** A service without a socket, for tests of statuses, headers and bodies. */
interface ScriptedService extends Disposable {
  readonly url: string;
  readonly requests: readonly Received[];
}

const network = setupServer();
let made = 0;
let open = 0;

/** Makes msw return these responses in order, and the last one from then on. */
export function scriptedService(
  ...answers: Exclude<Answer, (...parameters: never) => unknown>[]
): ScriptedService {
  const url = `https://service-${++made}.example`;
  const requests: Received[] = [];
  // Real servers in the same test stay reachable.
  if (open++ === 0) network.listen({ onUnhandledFrame: "bypass" });
  network.use(
    http.all(`${url}/*`, async ({ request }) => {
      const { method, headers } = request;
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      requests.push({ method, url: pathname + search, headers: Object.fromEntries(headers), body });
      const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
      const { status = 200, headers: given = {}, body: content = {} } = answer;
      const text = typeof content === "string" ? content : JSON.stringify(content);
      return new Response(status === 204 ? null : text, {
        status,
        headers: { "content-type": "application/json", ...given },
      });
    }),
  );
  return {
    url,
    requests,
    [Symbol.dispose]() {
      if (--open === 0) network.close();
    },
  };
}
