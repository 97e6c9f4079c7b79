import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { curlFor } from "../../../src/sandbox/pages/curl.ts";

const run = promisify(execFile);
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** The words of a curl command, as a shell splits them. */
async function wordsOf(command: string): Promise<string[]> {
  const env = {
    SETTLEKIT_SECRET_KEY: "key",
    SETTLEKIT_PAYMENT_SECRET: "ps",
    SETTLEKIT_ACCESS_TOKEN: "at",
  };
  const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  const { stdout } = await run("sh", ["-c", script], { env });
  return stdout.split("\0").slice(0, -1);
}

it.skipIf(process.platform === "win32")(
  "a shell reads exactly the request's values from the curl command",
  async () => {
    const text = fc
      .string({ unit: fc.constantFrom(..."a'\"$`\\\n !*;&|<>(){}#~é") })
      .filter((it) => !it.includes("\0"));
    await fc.assert(
      fc.asyncProperty(text, text, async (value, body) => {
        const url = "http://127.0.0.1:4010/v1?q=1&r='2'";
        const words = await wordsOf(
          curlFor({ method: "POST", url, headers: { "x-a": value }, body }),
        );
        const data = body === "" ? [] : ["--data-raw", body];
        expect(words).toEqual(["-X", "POST", url, "-H", `x-a: ${value}`, ...data]);
      }),
      { numRuns: 50 },
    );
  },
);

it.skipIf(process.platform === "win32")(
  "the curl command takes credentials from the environment, and omits headers that curl adds",
  async () => {
    const headers = {
      "x-service-secret-key": "[redacted]",
      "x-service-payment-secret": "[redacted]",
      authorization: "[redacted]",
      host: "127.0.0.1",
      "content-length": "3",
      "user-agent": "node",
      "proxy-authorization": "[redacted]",
    };
    const command = curlFor({ method: "GET", url: "http://localhost/", headers, body: "" });
    expect(await wordsOf(command)).toEqual([
      "-X",
      "GET",
      "http://localhost/",
      "-H",
      "x-service-secret-key: key",
      "-H",
      "x-service-payment-secret: ps",
      "-H",
      "authorization: Bearer at",
    ]);
  },
);

it("curl asks for headers alone in a HEAD request, where it would wait for a body with -X", () => {
  const url = "http://localhost/";
  expect(curlFor({ method: "HEAD", url, headers: {}, body: "" })).toBe(`curl --head ${url}`);
});

it.skipIf(!hasCurl || process.platform === "win32")(
  "curl reads no file named by the body, and expands no brackets in the URL",
  async () => {
    const received: { readonly url: string; readonly body: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      request.on("end", () => {
        received.push({ url: request.url ?? "", body });
        response.end();
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const body = `@${import.meta.filename}`;
    const url = `http://127.0.0.1:${port}/v1?a={b,c}&d=[1-3]`;
    await run("sh", ["-c", curlFor({ method: "POST", url, headers: {}, body })]);
    server.close();
    expect(received).toEqual([{ url: "/v1?a={b,c}&d=[1-3]", body }]);
  },
);
