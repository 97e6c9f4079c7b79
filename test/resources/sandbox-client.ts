import type { ClientEvent } from "../../src/http/events.ts";
import { Http } from "../../src/http/http.ts";
import { type ClientOptions, configure } from "../../src/options.ts";
import { bearerToken } from "../../src/resources/arguments.ts";
import { Tokens } from "../../src/resources/assets.ts";
import { Dashboard } from "../../src/resources/dashboard.ts";
import { Payments } from "../../src/resources/payments.ts";
import { Withdrawals } from "../../src/resources/withdrawals.ts";
import type { Sandbox } from "../../src/sandbox/index.ts";
import { FakeTime } from "../http/fake-time.ts";

/** A separate client, as in another process, that calls a sandbox without a socket. */
export function clientOf(sandbox: Sandbox, options: ClientOptions = {}) {
  const events: ClientEvent[] = [];
  const time = new FakeTime();
  const configuration = configure(
    {
      secretKey: sandbox.secretKey,
      environment: "sandbox",
      fetch: (url, init) => sandbox.fetch(new Request(url, init)),
      onEvent: (event) => events.push(event),
      ...options,
    },
    {},
  );
  const http = new Http(configuration, time);
  /** How often an operation was called. */
  const calls = (operation: string) =>
    events.filter((event) => event.type === "start" && event.operation === operation).length;
  const dashboard = ({ merchantId, accessToken }: Sandbox) =>
    new Dashboard(http.withCredential(bearerToken(accessToken)), merchantId);
  return {
    payments: new Payments(http),
    withdrawals: new Withdrawals(http),
    tokens: new Tokens(http),
    dashboard,
    events,
    calls,
    time,
  };
}
