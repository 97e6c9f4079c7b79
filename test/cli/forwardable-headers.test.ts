import { expect, test } from "vitest";
import { forwardableHeaders } from "../../src/cli/listen.ts";

test("forwarded headers keep their order, case and repetitions; hop-by-hop headers are removed", () => {
  const received = [
    ["Host", "127.0.0.1:4011"],
    ["X-Service-SIGNATURE", "ab"],
    ["Connection", "close"],
    ["Proxy-Authorization", "Basic YTpi"],
    ["Content-Length", "2"],
    ["Transfer-Encoding", "chunked"],
    ["X-Twice", "a"],
    ["X-Twice", "b"],
    ["Content-Encoding", "gzip"],
  ];
  expect(forwardableHeaders(received.flat())).toEqual(
    [
      ["X-Service-SIGNATURE", "ab"],
      ["X-Twice", "a"],
      ["X-Twice", "b"],
      ["Content-Encoding", "gzip"],
    ].flat(),
  );
});
