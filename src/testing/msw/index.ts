/**
 * Request handlers for msw, from 2.11 on, that answer from a sandbox, for tests that mock the network with it.
 *
 * @module settlekit/testing/msw
 */

// Not msw/http, which msw 2 does not have.
import { type HttpHandler, HttpResponse, http } from "msw";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { checkOptionNames, environmentVariable, invalidOption, show } from "../../values.ts";
import { defaultSandboxUrl } from "../../wire/credential.ts";

/** The options of `sandboxHandlers`. */
export interface SandboxHandlersOptions {
  /** The client's `baseUrl`. Default: the sandbox's, `SETTLEKIT_SANDBOX_URL`, else `http://127.0.0.1:4010`. */
  readonly baseUrl?: string | URL | undefined;
}

/**
 * Handlers for msw, from 2.11 on, that answer every request under a base URL from a sandbox in process, including its faults.
 * Requests to other URLs are left to other handlers.
 *
 * @throws {ConfigurationError} naming the argument or option in `param`.
 * @example
 * ```ts
 * const sandbox = createSandbox();
 * const server = setupServer(...sandboxHandlers(sandbox));
 * server.listen({ onUnhandledFrame: "error" }); // msw 2: onUnhandledRequest
 * const client = new MerchantClient({ environment: "sandbox", secretKey: sandbox.secretKey });
 * const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
 * ```
 */
export function sandboxHandlers(
  sandbox: Pick<Sandbox, "fetch">,
  options: SandboxHandlersOptions = {},
): HttpHandler[] {
  // Otherwise every call would be answered with a network error.
  if (typeof sandbox?.fetch !== "function") {
    const cure = "Pass one, such as sandboxHandlers(createSandbox()).";
    throw invalidOption("sandbox", `sandbox must be a sandbox, got ${show(sandbox)}. ${cure}`);
  }
  checkOptionNames(options, ["baseUrl"]);
  const { baseUrl = environmentVariable("SETTLEKIT_SANDBOX_URL") || defaultSandboxUrl } = options;
  const parsed = URL.parse(baseUrl);
  // "localhost:4010" is a valid URL with the scheme "localhost:".
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    const cure = "Pass the client's, such as http://127.0.0.1:4010, or leave it out.";
    throw invalidOption("baseUrl", `baseUrl must be a complete URL, got ${show(baseUrl)}. ${cure}`);
  }
  const { origin, pathname } = parsed;
  const prefix = pathname.replace(/(?<!\/)\/+$/, "");

  /** The URL without the base URL's path; undefined when it is not under the base URL. */
  function behindBaseUrl(requested: string): string | undefined {
    const url = new URL(requested);
    if (url.origin !== origin || !url.pathname.startsWith(`${prefix}/`)) return undefined;
    return origin + url.pathname.slice(prefix.length) + url.search;
  }

  const handler = http.all(
    // A predicate, because msw interprets some characters of a path as a pattern.
    ({ request }) => behindBaseUrl(request.url) !== undefined,
    async ({ request }) => {
      try {
        return await sandbox.fetch(new Request(behindBaseUrl(request.url) ?? "", request));
      } catch (error) {
        // msw turns an exception into a 500, but the client should see a network failure. Other TypeErrors have no cause.
        const isNetworkError = error instanceof TypeError && error.cause !== undefined;
        if (isNetworkError || request.signal.aborted) return HttpResponse.error();
        throw error;
      }
    },
  );
  return [handler];
}
