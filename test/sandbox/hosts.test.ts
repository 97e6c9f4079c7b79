import { request } from "node:http";
import { createSandbox, type ListenOptions } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create, paymentsPath } from "./merchant.ts";

/** Requests a path under any Host header, as a browser does after DNS rebinding. */
function statusUnder(
  port: number,
  host: string,
  path = paymentsPath,
  method = "GET",
  forwarded: Record<string, string> = {},
) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const headers = { host, ...forwarded };
    const sent = request({ host: "127.0.0.1", port, path, method, headers });
    sent.once("error", reject).once("response", (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.end();
  });
}

async function statusesUnder(hosts: readonly string[], options: ListenOptions = {}) {
  await using server = await createSandbox().listen({ port: 0, ...options });
  const answers = await Promise.all(hosts.map((host) => statusUnder(server.port, host)));
  return answers.map(({ status }) => status);
}

describe("a request over the network", () => {
  it.each([
    "127.0.0.1",
    "127.0.0.1:4010",
    "127.0.0.1.",
    "localhost:80",
    "LOCALHOST",
    "localhost.",
    "shop.localhost:4010",
    "[::1]:4010",
    "192.168.1.20:4010",
  ])("is served under the Host %s", async (host) => {
    expect(await statusesUnder([host])).toEqual([401]);
  });

  it.each([
    "evil.example",
    "evil.example:4010",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil-localhost",
    "sandbox",
  ])("is refused under the Host %s, against DNS rebinding", async (host) => {
    expect(await statusesUnder([host])).toEqual([403]);
  });

  it.each(["user@localhost", "localhost/path", "localhost?x", "a b"])(
    "gets 400 for a malformed Host: %j",
    async (host) => {
      expect(await statusesUnder([host])).toEqual([400]);
      await using server = await createSandbox().listen({ port: 0 });
      const forwarded = { "X-Forwarded-Proto": "https" };
      const viaProxy = await statusUnder(server.port, host, paymentsPath, "GET", forwarded);
      expect(viaProxy.status).toBe(400);
      expect(JSON.parse(viaProxy.body).error.code).toBe("invalid_request");
    },
  );

  it("takes its host from an absolute URL in the request line, but not from a path that looks like one", async () => {
    await using server = await createSandbox().listen({ port: 0 });
    const statusOf = async (path: string) =>
      (await statusUnder(server.port, "localhost", path)).status;
    expect(await statusOf(`http://evil.example${paymentsPath}`)).toBe(403);
    expect(await statusOf(`http://localhost${paymentsPath}`)).toBe(401);
    expect(await statusOf(`//evil.example${paymentsPath}`)).toBe(404);
  });

  it("is refused before it has any effect, on every route, with the cure", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    await using server = await sandbox.listen({ port: 0 });
    const paths = [paymentsPath, `/payment/${paymentId}`, "/_sandbox", "/openapi.json", "/"];
    for (const path of paths) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { status, body } = await statusUnder(server.port, "evil.example", path, method);
        expect([path, status]).toEqual([path, 403]);
        expect(JSON.parse(body).error).toMatchObject({
          code: "host_not_allowed",
          message: expect.stringMatching(/evil\.example.*allowedHosts/),
        });
      }
    }
    expect(sandbox.requests()).toHaveLength(1);
  });

  it("is served under an allowed host, and under the host that the server listens on", async () => {
    const options = { allowedHosts: ["Sandbox", "payments.test"], host: "localhost" };
    const hosts = ["sandbox:4010", "payments.test", "localhost", "other.test"];
    expect(await statusesUnder(hosts, options)).toEqual([401, 401, 401, 403]);
  });
});

describe("an allowed host", () => {
  it.each(["http://sandbox", "sandbox:4010", "sandbox/path", "", "user@sandbox", "a b", 5])(
    "must be a bare name: %j",
    async (name) => {
      await expect(
        createSandbox().listen({ port: 0, allowedHosts: [name as string] }),
      ).rejects.toMatchObject({
        name: "ConfigurationError",
        code: "invalid_allowed_host",
        param: "allowedHosts",
      });
    },
  );
});

it.each([5, null, {}])("host must be a string: %j", async (host) => {
  const listening = createSandbox().listen({ port: 0, host: host as never });
  await expect(listening).rejects.toMatchObject({
    name: "ConfigurationError",
    code: "invalid_option",
    param: "host",
  });
});

it.each(["sandbox", null, {}])("allowedHosts must be an array: %j", async (names) => {
  const listening = createSandbox().listen({ port: 0, allowedHosts: names as never });
  await expect(listening).rejects.toMatchObject({
    name: "ConfigurationError",
    code: "invalid_option",
    param: "allowedHosts",
  });
});

it("an empty host is refused, because the server would listen on every interface", async () => {
  await expect(createSandbox().listen({ port: 0, host: "" })).rejects.toMatchObject({
    name: "ConfigurationError",
    code: "cannot_listen",
    param: "host",
  });
});

it("an in-process sandbox answers under any origin, because no browser can reach it", async () => {
  const response = await createSandbox().fetch(new Request(`https://api.example${paymentsPath}`));
  expect(response.status).toBe(401);
});
