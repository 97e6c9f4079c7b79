import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { post } from "../../../src/sandbox/webhooks/endpoint.ts";
import { type Answer, scriptedServer, silent, truncated } from "../../scripted-server.ts";

async function postTo(answer: Answer) {
  await using server = await scriptedServer(answer);
  return await post({ url: new URL(server.url), headers: [], body: Buffer.from("{}") });
}

afterEach(() => void vi.useRealTimers());

const freezeTimers = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

/** Resolves once this many timers are set. */
async function timersSet(count: number): Promise<void> {
  while (vi.getTimerCount() < count) await new Promise((resolve) => setImmediate(resolve));
}

test("a POST carries the given headers, Host, Content-Length and Connection, and no others", async () => {
  await using server = await scriptedServer({ status: 202, body: "taken" });
  const url = new URL(`${server.url}/a?b=c`);
  const answer = await post({ url, headers: ["X-One", "1", "X-One", "2"], body: Buffer.from("é") });
  expect(answer).toEqual({
    status: 202,
    headers: expect.objectContaining({ "content-type": "application/json" }),
    body: "taken",
    durationMs: expect.any(Number),
  });
  expect(server.requests).toEqual([
    {
      method: "POST",
      url: "/a?b=c",
      headers: { host: url.host, "content-length": "2", "x-one": "1, 2", connection: "close" },
      body: "é",
    },
  ]);
});

test("an endpoint that does not answer times out after 30 seconds", async () => {
  freezeTimers();
  const refused = expect(postTo(silent)).rejects.toThrow("no response within 30 seconds");
  await timersSet(1);
  await vi.advanceTimersByTimeAsync(30_000);
  await refused;
});

test("an https URL of a server without TLS is named as the cause", async () => {
  await using server = await scriptedServer({});
  const url = new URL(server.url.replace("http:", "https:"));
  const refused = expect(post({ url, headers: [], body: Buffer.from("{}") })).rejects;
  await refused.toThrow(
    "the TLS handshake failed (EPROTO); check whether the URL should begin with",
  );
});

test("an answer that is cut off counts as none", async () => {
  await expect(postTo(truncated)).rejects.toThrow("the connection broke during the response");
});

test("a switch to another protocol counts as no answer", async () => {
  const server = createNetServer((socket) => {
    socket.once("data", () => {
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await expect(post({ url, headers: [], body: Buffer.from("{}") })).rejects.toThrow(
    "the connection closed without a response",
  );
  server.close();
});

test("the error of an unknown host says that it does not exist", async () => {
  const url = new URL("http://no-such-host.invalid/");
  await expect(post({ url, headers: [], body: Buffer.from("{}") })).rejects.toThrow(
    /^(there is no such host \(ENOTFOUND\); check the URL|getaddrinfo .*)$/,
  );
});

test("an answer with an endless body counts by its status after a second", async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "X-Shop": "slow" }).write("beginning");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/`);
  freezeTimers();
  const sent = post({ url, headers: [], body: Buffer.from("{}") });
  // The second starts with the answer's body.
  await timersSet(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await sent).toMatchObject({
    headers: { "x-shop": "slow" },
    status: 200,
    body: "beginning",
  });
  server.close();
  server.closeAllConnections();
});
