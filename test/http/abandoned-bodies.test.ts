import { expect, test, vi } from "vitest";
import type { ClientHooks } from "../../src/http/hooks.ts";
import { getPayment } from "../../src/wire/operations.ts";
import { payment } from "../wire/examples.ts";
import { httpTo } from "./http-to.ts";

const read = { path: { paymentId: payment.id } };

/** A body that never ends, and a spy on its cancellation. */
function endlessBody() {
  const cancel = vi.fn();
  return { body: new ReadableStream({ cancel }), cancel };
}

test("the body of a redirect is cancelled to free its connection", async () => {
  const { body, cancel } = endlessBody();
  const headers = { location: "https://elsewhere.example/" };
  const fetch = () => Promise.resolve(new Response(body, { status: 302, headers }));
  const call = httpTo({ url: "https://api.example" }, { fetch }).call(getPayment, read);
  await expect(call).rejects.toMatchObject({ name: "ConfigurationError" });
  expect(cancel).toHaveBeenCalledOnce();
});

test("the body of a response whose status a hook changed is cancelled", async () => {
  const { body, cancel } = endlessBody();
  const fetch = () => Promise.resolve(new Response(body, { status: 503 }));
  const hooks: ClientHooks = {
    afterResponse: [({ response }) => new Response(response.body, { status: 200 })],
  };
  const http = httpTo({ url: "https://api.example" }, { fetch, hooks });
  await expect(http.call(getPayment, read)).rejects.toMatchObject({ code: "hook_failed" });
  await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce());
});

test("the body of a response that arrives after the call has ended is cancelled", async () => {
  const { body, cancel } = endlessBody();
  const asked = Promise.withResolvers<void>();
  const late = Promise.withResolvers<Response>();
  const fetch = () => {
    asked.resolve();
    return late.promise;
  };
  const http = httpTo({ url: "https://api.example" }, { fetch });
  const controller = new AbortController();
  const call = http.call(getPayment, read, { signal: controller.signal });
  await asked.promise;
  controller.abort();
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  late.resolve(new Response(body));
  await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce());
});
