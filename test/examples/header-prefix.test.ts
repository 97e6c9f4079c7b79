import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { freePort } from "../free-port.ts";
import { Example } from "./example.ts";
import { scratchFolder } from "./scratch-folder.ts";

const example = new Example("express-shop");

/** The same request with its headers renamed to another prefix. */
function withPrefix(request: Request, from: string, to: string, url = request.url): Request {
  const headers = new Headers();
  for (const [name, value] of request.headers) headers.set(name.replace(from, to), value);
  const { method, body } = request;
  return new Request(url, { method, headers, ...(body && { body, duplex: "half" }) });
}

describe.skipIf(example.missing("express"))("a service whose headers have another prefix", () => {
  it("requires only SETTLEKIT_HEADER_PREFIX of a shop", async () => {
    await using scratch = await scratchFolder();
    const url = `http://127.0.0.1:${await freePort()}`;
    const sandbox = createSandbox({
      deliver: (request) => fetch(withPrefix(request, "x-service-", "x-acme-", `${url}/webhooks`)),
    });
    const service = serve({
      fetch: (request) => sandbox.fetch(withPrefix(request, "x-acme-", "x-service-")),
      hostname: "127.0.0.1",
      port: 0,
    });
    await once(service, "listening");
    const { port } = service.address() as AddressInfo;
    const run = await example.run("start", {
      SETTLEKIT_ENVIRONMENT: "sandbox",
      SETTLEKIT_SANDBOX_URL: `http://127.0.0.1:${port}`,
      SETTLEKIT_SECRET_KEY: sandbox.secretKey,
      SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
      SETTLEKIT_HEADER_PREFIX: "X-Acme",
      PORT: new URL(url).port,
      DATABASE_FILE: join(scratch.path, "shop.sqlite"),
    });
    try {
      await run.answers(`${url}/health`);
      const body = new URLSearchParams({ sku: "mug" });
      const bought = await fetch(`${url}/orders`, { method: "POST", body, redirect: "manual" });
      expect([bought.status, run.output]).toEqual([303, expect.anything()]);
      const [payment] = sandbox.payments.all();
      await sandbox.payments.simulate(payment?.id ?? "", "success");
      await sandbox.webhooks.idle();
      const page = await (await fetch(`${url}/orders/${payment?.orderId}`)).text();
      expect(page).toContain("<strong>paid</strong>");
    } finally {
      await run.stop();
      service.close();
    }
  });
});
