import { Http } from "../../src/http/http.ts";
import type { Time } from "../../src/http/time.ts";
import { type ClientOptions, configure } from "../../src/options.ts";
import { FakeTime } from "./fake-time.ts";

export const secretKey = "sk_test_4f9a7c1e";

/** The HTTP core as a client configures it, but with a test's server and a fake clock. */
export function httpTo(
  server: { readonly url: string },
  options: ClientOptions = {},
  time: Time = new FakeTime(),
): Http {
  const base = { secretKey, environment: "sandbox", baseUrl: server.url } as const;
  return new Http(configure({ ...base, ...options }, {}), time);
}
