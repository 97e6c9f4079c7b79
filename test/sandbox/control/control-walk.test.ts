import { readFileSync } from "node:fs";
import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { controlRoutes } from "../../../src/sandbox/control/control-routes.ts";
import type { Events } from "../../../src/sandbox/event-bus.ts";
import { create, errorOf, newYear, origin, withdraw } from "../merchant.ts";
import { controlHeaders as headers } from "./control-client.ts";

interface ControlRoute {
  readonly method: string;
  readonly path: string;
}

/** Every control route, read from the app so that no new one is missed. */
const routes: readonly ControlRoute[] = controlRoutes(createSandbox(), {} as Events)
  .routes.filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => ({ method, path }));
const posts = routes.filter(({ method }) => method === "POST");
const gets = routes.filter(({ method }) => method === "GET");

/** A sandbox with something for every route to act on, and the ids that the paths need. */
async function furnished() {
  const sandbox = createSandbox({ now: newYear, seed: "walk" });
  const { paymentId } = await create(sandbox);
  const { id } = await withdraw(sandbox);
  sandbox.faults.next("*", { status: 503, when: "before" });
  sandbox.webhooks.disorder("tamper");
  await sandbox.webhooks.idle();
  const [delivery] = sandbox.webhooks.deliveries();
  const ids = [
    ["/payments/", paymentId],
    ["/withdrawals/", id],
    ["/deliveries/", delivery?.id ?? ""],
  ] as const;
  const pathOf = ({ path }: ControlRoute) => {
    const known = ids.find(([beginning]) => path.startsWith(beginning));
    return `/_sandbox${path.replace(":id", known?.[1] ?? "")}`;
  };
  return { sandbox, pathOf };
}

async function call(sandbox: Sandbox, path: string, init: RequestInit): Promise<Response> {
  const response = await sandbox.fetch(new Request(origin + path, init));
  // The event stream never ends by itself.
  await response.body?.cancel();
  return response;
}

/** The whole state of a sandbox. */
const stateOf = (sandbox: Sandbox) => JSON.stringify(sandbox.save());

describe("every control route", () => {
  it("is documented in the guide", () => {
    expect(posts.length).toBeGreaterThan(15);
    expect(gets.length).toBeGreaterThan(10);
    const guide = readFileSync(
      new URL("../../../docs/sandbox-reference.md", import.meta.url),
      "utf8",
    );
    for (const { method, path } of routes) {
      expect(guide).toContain(`| \`${method} /_sandbox${path.replace(":id", "{id}")}\` |`);
    }
  });

  it.each([
    ["from another origin", { ...headers, Origin: "https://evil.example" }, 403, "cross_origin"],
    ["from another port", { ...headers, Origin: `${origin}:3000` }, 403, "cross_origin"],
    ["from a null origin", { ...headers, Origin: "null" }, 403, "cross_origin"],
    [
      "without the header that no form can send",
      { "Content-Type": "application/json" },
      403,
      "control_header_missing",
    ],
    [
      "with a form's content type",
      { ...headers, "Content-Type": "text/plain" },
      415,
      "invalid_content_type",
    ],
    ["without a content type", { "X-Sandbox-Control": "1" }, 415, "invalid_content_type"],
  ])("refuses a page's POST %s, and nothing changes", async (_how, foreign, status, code) => {
    const { sandbox, pathOf } = await furnished();
    const before = stateOf(sandbox);
    for (const route of posts) {
      const body = JSON.stringify({ scenario: "success", duration: "1d", amount: 2500 });
      const init = { method: "POST", headers: foreign, body };
      const response = await sandbox.fetch(new Request(origin + pathOf(route), init));
      expect([route.path, response.status]).toEqual([route.path, status]);
      expect(await errorOf(response)).toMatchObject({ code, message: expect.any(String) });
    }
    expect(stateOf(sandbox)).toBe(before);
  });

  it("changes nothing on GET, and cannot be read from another origin", async () => {
    const { sandbox, pathOf } = await furnished();
    const before = stateOf(sandbox);
    for (const route of gets) {
      const path = pathOf(route);
      const own = await call(sandbox, path, {});
      expect([path, own.status]).toEqual([path, 200]);
      expect(own.headers.get("cache-control")).toBe("no-store");
      expect(own.headers.get("cross-origin-resource-policy")).toBe("same-origin");
      const foreign = await call(sandbox, path, { headers: { Origin: "https://evil.example" } });
      expect([path, foreign.status]).toEqual([path, 403]);
      expect(foreign.headers.has("access-control-allow-origin")).toBe(false);
    }
    expect(stateOf(sandbox)).toBe(before);
  });

  it("acts on POST only", async () => {
    const { sandbox, pathOf } = await furnished();
    const before = stateOf(sandbox);
    for (const route of posts) {
      for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const response = await call(sandbox, pathOf(route), { method, headers });
        expect(response.headers.has("access-control-allow-methods")).toBe(false);
        if (gets.some(({ path }) => path === route.path)) continue;
        expect([route.path, response.status]).toEqual([route.path, 405]);
        expect(response.headers.get("allow")).toBe("POST");
      }
    }
    expect(stateOf(sandbox)).toBe(before);
  });

  it("neither pollutes prototypes nor accepts their names as ids", async () => {
    const hostile =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"scenario":"__proto__",' +
      '"kind":"constructor","route":"__proto__","fault":{"__proto__":{"status":500}},' +
      '"event":"__proto__","steps":"constructor","duration":"__proto__","merchantId":"__proto__"}';
    for (const route of posts) {
      const { sandbox } = await furnished();
      for (const id of ["__proto__", "constructor", "toString", "%2e%2e", "<script>"]) {
        const path = `/_sandbox${route.path.replace(":id", id)}`;
        const statusFor = async (body: string) =>
          (await call(sandbox, path, { method: "POST", headers, body })).status;
        expect([path, (await statusFor(hostile)) < 500]).toEqual([path, true]);
        if (route.path.includes(":id")) expect([path, await statusFor("{}")]).toEqual([path, 404]);
      }
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    }
  });

  it("refuses a body that is not a JSON object", async () => {
    const { sandbox, pathOf } = await furnished();
    const before = stateOf(sandbox);
    for (const route of posts) {
      for (const body of ["{", "[]", '"text"', "null", "1"]) {
        const { status } = await call(sandbox, pathOf(route), { method: "POST", headers, body });
        expect([route.path, body, status >= 400 && status < 500]).toEqual([route.path, body, true]);
      }
    }
    expect(stateOf(sandbox)).toBe(before);
  });
});
