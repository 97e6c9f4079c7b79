import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { readNetworkError } from "../../src/http/network-error.ts";

const system = (code: string, syscall?: string) =>
  Object.assign(new Error(`${syscall ?? ""} ${code}`), { code, syscall });
const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });

describe("a failed fetch", () => {
  test.each([
    ["ENOTFOUND", "getaddrinfo"],
    ["EAI_AGAIN", "getaddrinfo"],
    ["ECONNREFUSED", "connect"],
    ["ETIMEDOUT", "connect"],
    ["EHOSTUNREACH", "connect"],
    ["ENETUNREACH", "connect"],
    ["ENETDOWN", "connect"],
    ["UND_ERR_CONNECT_TIMEOUT", undefined],
    ["ConnectionRefused", undefined],
    ["FailedToOpenSocket", undefined],
  ])("with %s (%s) sent nothing", (code, syscall) => {
    const failure = readNetworkError(fetchFailed(system(code, syscall)));
    expect(failure).toMatchObject({ kind: "unreachable", code });
  });

  test.each([
    ["ECONNRESET", "read"],
    ["EPIPE", "write"],
    ["ETIMEDOUT", "read"],
    ["EHOSTUNREACH", "read"],
    ["UND_ERR_SOCKET", undefined],
    ["UND_ERR_ABORTED", undefined],
    ["EPROTO", "write"],
    ["ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC", undefined],
    ["SOMETHING_NEW", undefined],
  ])("with %s (%s) may have been sent", (code, syscall) => {
    const failure = readNetworkError(fetchFailed(system(code, syscall)));
    expect(failure).toMatchObject({ kind: "connection", code });
  });

  test.each([
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "ERR_SSL_UNSUPPORTED_PROTOCOL",
    "ERR_SSL_PACKET_LENGTH_TOO_LONG",
    "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
  ])("with %s failed before the request was sent", (code) => {
    expect(readNetworkError(fetchFailed(system(code)))).toMatchObject({ kind: "tls", code });
  });

  test("with OpenSSL's report has only its reason as detail", () => {
    const message =
      "40D0:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../tlsany_meth.c:77:\n";
    const cause = Object.assign(new Error(message), {
      code: "ERR_SSL_WRONG_VERSION_NUMBER",
      reason: "wrong version number",
    });
    expect(readNetworkError(fetchFailed(cause)).detail).toBe("wrong version number");
  });

  test.each([
    "Request constructor: x is not an accepted type. Expected one of half.",
    "undefined: x is not an accepted type. Expected one of high, low, auto.",
    "RequestInit: duplex option is required when sending a body.",
    "Failed to construct 'Request': member priority is not valid.",
  ])("that rejects an argument sent nothing: %s", (message) => {
    expect(readNetworkError(new TypeError(message)).kind).toBe("not_taken");
    expect(readNetworkError(new TypeError(message), new URL("https://a.example")).kind).toBe(
      "connection",
    );
  });

  test("in a dispatcher's own code may have been sent", () => {
    const own = new TypeError("handler.onHeaders is not a function");
    expect(readNetworkError(fetchFailed(own)).kind).toBe("connection");
  });

  test("with a dispatcher from another version of undici sent nothing", () => {
    const cause = { ...system("UND_ERR_INVALID_ARG"), message: "invalid onRequestStart method" };
    expect(readNetworkError(fetchFailed(cause)).kind).toBe("not_taken");
  });

  test("that a proxy refused after it arrived there may have been sent", () => {
    const message = "Proxy Authentication Required (407)";
    const cause = { ...system("UND_ERR_INVALID_ARG"), message };
    expect(readNetworkError(fetchFailed(cause)).kind).toBe("connection");
  });

  test("to several addresses sent nothing only if none of them could be reached", () => {
    const all = new AggregateError([
      system("ECONNREFUSED", "connect"),
      system("ENETUNREACH", "connect"),
    ]);
    const some = new AggregateError([
      system("ECONNREFUSED", "connect"),
      system("ECONNRESET", "read"),
    ]);
    expect(readNetworkError(fetchFailed(all)).kind).toBe("unreachable");
    expect(readNetworkError(fetchFailed(some)).kind).toBe("connection");
  });

  test("to a port that fetch refuses sent nothing", async () => {
    const error = await fetch("http://127.0.0.1:6000").catch((thrown) => thrown);
    expect(readNetworkError(error)).toMatchObject({ kind: "unreachable", detail: "bad port" });
  });

  // In a process of its own, because Node reads the variables when it starts.
  test("through a proxy that refuses to connect sent nothing", async () => {
    const proxy = createServer().on("connect", (_, socket) => {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const program = `
      import { readNetworkError } from ${JSON.stringify(import.meta.resolve("../../src/http/network-error.ts"))};
      const error = await fetch("https://api.example").catch((thrown) => thrown);
      console.log(JSON.stringify(readNetworkError(error)));`;
    const env = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: `http://127.0.0.1:${port}` };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "unreachable",
      detail: expect.stringContaining("407"),
    });
  });

  test.each([undefined, null, "text", 7, {}, new Error(""), new TypeError("fetch failed")])(
    "with %o may have been sent",
    (error) => {
      expect(readNetworkError(error)).toMatchObject({
        kind: "connection",
        code: "connection_failed",
      });
    },
  );

  test("with circular causes is still classified", () => {
    const error = new Error("round");
    error.cause = error;
    expect(readNetworkError(error)).toMatchObject({ kind: "connection", detail: "round" });
  });
});

describe("a failed custom fetch", () => {
  const at = (code: string, place: object) =>
    fetchFailed(Object.assign(system(code, "connect"), place));
  const kindAt = (url: string, error: unknown) => readNetworkError(error, new URL(url)).kind;

  test.each([
    ["https://api.example", "ENOTFOUND", { hostname: "api.example" }],
    ["https://api.example/v2", "EAI_AGAIN", { hostname: "api.example" }],
    ["http://127.0.0.1:4010", "ECONNREFUSED", { address: "127.0.0.1", port: 4010 }],
    ["http://localhost:4010", "ECONNREFUSED", { address: "::1", port: 4010 }],
    ["http://[::1]:4010", "ECONNREFUSED", { address: "::1", port: 4010 }],
    ["https://10.0.0.7", "ECONNREFUSED", { address: "10.0.0.7", port: 443 }],
  ])("sent nothing to %s if its %s names the service", (url, code, place) => {
    expect(kindAt(url, at(code, place))).toBe("unreachable");
  });

  test.each([
    ["https://api.example", "ENOTFOUND", { hostname: "audit.example" }],
    ["https://api.example", "ENOTFOUND", {}],
    ["https://api.example", "ECONNREFUSED", { address: "203.0.113.7", port: 443 }],
    ["http://127.0.0.1:4010", "ECONNREFUSED", { address: "127.0.0.1", port: 9000 }],
    ["http://127.0.0.1:4010", "ECONNREFUSED", { address: "127.0.0.2", port: 4010 }],
    ["http://127.0.0.1:4010", "ECONNREFUSED", {}],
    ["http://127.0.0.1:4010", "UND_ERR_INVALID_ARG", {}],
    ["https://127.0.0.1", "CERT_HAS_EXPIRED", { host: "127.0.0.1" }],
  ])("may have sent something to %s if its %s does not (%j)", (url, code, place) => {
    expect(kindAt(url, at(code, place))).toBe("connection");
  });

  test("sent nothing to a host with several addresses only if all of them refused", () => {
    const refused = (address: string) =>
      Object.assign(system("ECONNREFUSED", "connect"), { address, port: 4010 });
    const both = new AggregateError([refused("::1"), refused("127.0.0.1")]);
    const other = new AggregateError([refused("::1"), refused("10.0.0.7")]);
    expect(kindAt("http://localhost:4010", fetchFailed(both))).toBe("unreachable");
    expect(kindAt("http://localhost:4010", fetchFailed(other))).toBe("connection");
  });
});

test.each([
  ["the service", "http://127.0.0.1:4010/v1/withdrawals", "unreachable"],
  ["another server, which a wrapper of fetch called", "http://127.0.0.1:9000/audit", "connection"],
  ["what is no valid URL", "http://[", "connection"],
  ["the socket that a dispatcher connects to", "/run/proxy.sock", "unreachable"],
])("an error that names %s", (_, path, kind) => {
  const error = Object.assign(system("ConnectionRefused"), { path });
  expect(readNetworkError(error, new URL("http://127.0.0.1:4010/v2"), false).kind).toBe(kind);
});
