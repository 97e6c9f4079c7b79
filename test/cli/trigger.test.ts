import { describe, expect, test } from "vitest";
import { Webhooks } from "../../src/webhooks/index.ts";
import { reset, scriptedServer } from "../scripted-server.ts";
import { settlekit } from "./command-line.ts";

const secret = "whsec_kept_quiet";
const withSecret = { SETTLEKIT_WEBHOOK_SECRET: secret };

/** Triggers an event of an invented object. */
function trigger(url: string, ...args: string[]) {
  return settlekit(["trigger", ...args, "--detached", "--to", url], withSecret);
}

describe("settlekit trigger --detached", () => {
  test("sends a webhook that verifies, to exactly the given URL", async () => {
    await using shop = await scriptedServer({ body: "thanks" });
    const url = `${shop.url}/hooks/settlekit?tenant=1`;
    const { code, stdout, stderr } = await trigger(url, "payment.updated");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(
      /^payment\.updated \(invented\) → .*\nanswered 200 in \d+ ms\n {2}thanks\n$/,
    );

    const [received] = shop.requests;
    if (received === undefined) throw new Error("nothing was received");
    expect(received).toMatchObject({ method: "POST", url: "/hooks/settlekit?tenant=1" });
    const { event, data } = new Webhooks({ secret }).verifySync(received);
    expect({ event, data }).toEqual({
      event: "payment.updated",
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: "payment",
        merchantId: expect.any(String),
        amountInCents: 2500,
        currency: "USD",
        status: "completed",
        orderId: "order_1",
        createdAt: expect.any(String),
      },
    });
  });

  test("options set the event's fields; --json prints one line", async () => {
    await using shop = await scriptedServer({});
    const options = ["--status", "failed", "--order-id", "order_7"];
    const settings = ["--set", "amountInCents=990", "--set", "receipt.txHash=0xab"];
    const { code, stdout, stderr } = await trigger(
      shop.url,
      ...["withdrawal.updated", "--json", ...options, ...settings],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const printed = JSON.parse(stdout);
    expect(printed).toMatchObject({
      type: "sent",
      event: "withdrawal.updated",
      data: {
        status: "failed",
        orderId: "order_7",
        amountInCents: 990,
        receipt: { txHash: "0xab" },
      },
      status: 200,
      durationMs: expect.any(Number),
    });
    expect(printed.data).not.toHaveProperty("type");
    expect(JSON.parse(shop.requests[0]?.body ?? "")).toEqual({
      event: "withdrawal.updated",
      data: printed.data,
    });
  });

  test("does not warn about payment.confirmed", async () => {
    await using shop = await scriptedServer({});
    const { code, stderr } = await trigger(shop.url, "payment.confirmed");
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("Warning") });
  });

  test("a created payment is pending", async () => {
    await using shop = await scriptedServer({});
    const { stdout } = await trigger(shop.url, "payment.created", "--json");
    expect(JSON.parse(stdout).data.status).toBe("pending");
  });

  test.each([
    [401, 3, "compare the secrets"],
    [403, 3, "answered 403"],
    [500, 5, "answered 500"],
  ])("an endpoint that answers %i makes it exit with %i", async (status, code, hint) => {
    await using shop = await scriptedServer({ status, body: "" });
    const ended = await trigger(shop.url, "payment.updated");
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(hint);
  });

  test("an answer of several lines is indented, and cannot control the terminal", async () => {
    const body = "<html>\n  <b>Oops\u001b[8m</b>\r\n</html>\n";
    await using shop = await scriptedServer({ status: 500, body });
    const { stderr } = await trigger(shop.url, "payment.updated");
    expect(stderr).toMatch(/ms\n {2}<html>\n {4}<b>Oops\\u001b\[8m<\/b>\n {2}<\/html>\n$/);
  });

  test("a redirect is not followed", async () => {
    await using elsewhere = await scriptedServer({});
    await using shop = await scriptedServer({ status: 302, headers: { location: elsewhere.url } });
    const { code, stderr } = await trigger(shop.url, "payment.updated");
    expect(code).toBe(5);
    expect(stderr).toContain("Redirects are not followed");
    expect(elsewhere.requests).toEqual([]);
  });

  test.each([
    ["nothing listens", undefined],
    ["the connection breaks", reset],
  ])("exits with 4 and says so when %s", async (_, answer) => {
    await using shop = await scriptedServer(answer ?? {});
    const url = answer ? shop.url : "http://127.0.0.1:1/hook";
    const { code, stdout, stderr } = await trigger(url, "payment.updated", "--json");
    expect(code).toBe(4);
    expect(stderr).toContain("did not respond");
    expect(JSON.parse(stdout)).toMatchObject({ type: "sent", error: expect.any(String) });
  });

  test.each([
    ["payment.updatd", "payment.updated"],
    ["payment.completed", "payment.updated"],
    ["payment.confirmd", "payment.confirmed"],
  ])("sends the unknown event %s with a warning, which suggests %s", async (event, meant) => {
    await using shop = await scriptedServer({});
    for (const options of [[], ["--json"]]) {
      const { code, stderr } = await trigger(shop.url, event, ...options);
      expect(code).toBe(0);
      const warning = `Warning: The event "${event}" is not known. Did you mean "${meant}"?`;
      expect(stderr).toContain(warning);
    }
    expect(JSON.parse(shop.requests[0]?.body ?? "").event).toBe(event);
  });

  test("an endless answer is read only as far as it is shown", async () => {
    await using shop = await scriptedServer((response) => {
      response.writeHead(200);
      const write = () => response.write("x".repeat(1000), (error) => error ?? setImmediate(write));
      write();
    });
    const { code, stdout } = await trigger(shop.url, "payment.updated", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).body).toBe("x".repeat(2000));
  });

  test.each([
    [["--to", "http://127.0.0.1:1"], "Missing argument `EVENT`: payment.created, "],
    [["payment.updated", "payment.created", "--to", "http://127.0.0.1:1"], '"payment.created"'],
    [["payment.updated"], "--detached needs --to URL"],
    [["payment.updated", "--to", "http://127.0.0.1:1", "--url", "http://127.0.0.1:2"], "--url"],
    [["payment.updated", "--to", "shop"], "Expected a complete http or https URL"],
    [["payment.updated", "--to", "http://ann:secret@127.0.0.1"], "without credentials"],
    [["payment.updated", "--to", "http://127.0.0.1:1", "--set", "__proto__.a=1"], "cannot be set"],
    [["payment.updated", "--to", "http://127.0.0.1:1", "--dotenv", "/no/file"], "--dotenv"],
  ])("refuses %j", async (args, hint) => {
    const { code, stderr } = await settlekit(["trigger", ...args, "--detached"], withSecret);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });

  test("sends nothing without a secret", async () => {
    await using shop = await scriptedServer({});
    const { code, stderr } = await settlekit([
      ...["trigger", "payment.updated", "--detached", "--to", shop.url],
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("There is no webhook secret.");
    expect(shop.requests).toEqual([]);
  });

  test("signs with --secret under --header-prefix", async () => {
    await using shop = await scriptedServer({});
    await trigger(shop.url, "payment.updated", "--header-prefix", "X-Acme", "--secret", "other");
    const [received] = shop.requests;
    if (received === undefined) throw new Error("nothing was received");
    const webhooks = new Webhooks({ secret: "other", headerPrefix: "X-Acme" });
    expect(webhooks.verifySync(received).event).toBe("payment.updated");
  });

  test("a secret that the endpoint echoes is not printed", async () => {
    await using shop = await scriptedServer({ status: 500, body: `bad secret ${secret}` });
    const [people, program] = await Promise.all([
      trigger(shop.url, "payment.updated"),
      trigger(shop.url, "payment.updated", "--json"),
    ]);
    expect(people.stderr).toContain("bad secret [redacted]");
    expect(program.stdout).toContain("bad secret [redacted]");
    expect(people.stderr + program.stdout).not.toContain(secret);
  });

  test("uses SETTLEKIT_HEADER_PREFIX when no prefix is given", async () => {
    await using shop = await scriptedServer({});
    const variables = { ...withSecret, SETTLEKIT_HEADER_PREFIX: "X-Acme" };
    await settlekit(["trigger", "payment.updated", "--detached", "--to", shop.url], variables);
    expect(shop.requests[0]?.headers).toHaveProperty("x-acme-signature");
  });
});
