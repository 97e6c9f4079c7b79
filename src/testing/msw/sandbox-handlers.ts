import { type HttpHandler, HttpResponse, http } from "msw/http";
import type { Sandbox } from "../../sandbox/index.ts";
import { defaultSandboxUrl } from "../../wire/credential.ts";

/** Which requests the sandbox answers. */
export interface SandboxHandlersOptions {
  /**
   * Where the client expects the service: its `baseUrl`. Default: where the client's environment
   * `sandbox` looks, which is `SETTLEKIT_SANDBOX_URL`, else `http://127.0.0.1:4010`.
   */
  readonly baseUrl?: string | URL | undefined;
}

/**
 * Handlers for msw 3 that answer every request under a base URL from a sandbox in process, its faults
 * included. What is under another URL is left to other handlers.
 *
 * @throws {TypeError} `baseUrl` is no URL.
 * @example
 * ```ts
 * const sandbox = createSandbox();
 * const server = setupServer(...sandboxHandlers(sandbox));
 * server.listen({ onUnhandledFrame: "error" });
 * const client = new MerchantClient({ environment: "sandbox", secretKey: sandbox.secretKey });
 * const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
 * ```
 */
export function sandboxHandlers(
  sandbox: Pick<Sandbox, "fetch">,
  { baseUrl = defaultBaseUrl() }: SandboxHandlersOptions = {},
): HttpHandler[] {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");

  /** The URL as the service sees it behind the base URL; `undefined` when it is for others. */
  function behindBaseUrl(requested: string): string | undefined {
    const url = new URL(requested);
    if (url.origin !== origin || !url.pathname.startsWith(`${prefix}/`)) return undefined;
    return origin + url.pathname.slice(prefix.length) + url.search;
  }

  const handler = http.all(
    // A function, because msw could take characters of a path as text for a pattern.
    ({ request }) => behindBaseUrl(request.url) !== undefined,
    async ({ request }) => {
      try {
        return await sandbox.fetch(new Request(behindBaseUrl(request.url) ?? "", request));
      } catch (error) {
        // msw would answer an exception with 500, but here no answer came at all.
        if (error instanceof TypeError || request.signal.aborted) return HttpResponse.error();
        throw error;
      }
    },
  );
  return [handler];
}

function defaultBaseUrl(): string {
  return globalThis.process?.env?.SETTLEKIT_SANDBOX_URL || defaultSandboxUrl;
}
