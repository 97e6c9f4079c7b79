import { describe, expect, test } from "vitest";
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
    ["UND_ERR_CONNECT_TIMEOUT", undefined],
    ["ConnectionRefused", undefined],
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
  ])("with %s never got to the request", (code) => {
    expect(readNetworkError(fetchFailed(system(code)))).toMatchObject({ kind: "tls", code });
  });

  test("with a dispatcher of another undici sent nothing", () => {
    const failure = readNetworkError(fetchFailed(system("UND_ERR_INVALID_ARG")));
    expect(failure.kind).toBe("not_taken");
  });

  test("at several addresses sent nothing only if all of them were out of reach", () => {
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

  test.each([undefined, null, "text", 7, {}, new Error(""), new TypeError("fetch failed")])(
    "with %o may have been sent",
    (error) => {
      expect(readNetworkError(error)).toMatchObject({
        kind: "connection",
        code: "connection_failed",
      });
    },
  );

  test("whose causes go in a circle is still read", () => {
    const error = new Error("round");
    error.cause = error;
    expect(readNetworkError(error)).toMatchObject({ kind: "connection", detail: "round" });
  });
});
