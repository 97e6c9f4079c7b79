import express from "express";
import { describe, expect, it, vi } from "vitest";
import { delivery, receiver } from "./deliveries.ts";
import { listening, post } from "./sites.ts";

// Refusals are logged by default.
vi.spyOn(console, "warn").mockReturnValue();

describe("the handler in Express", () => {
  it("is mounted like any other route", async () => {
    const handler = vi.fn();
    const app = express();
    app.post("/webhooks", receiver().on("payment.updated", handler).nodeHandler());
    app.use(express.json());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
  });

  it("works after express.raw()", async () => {
    const app = express();
    app.post("/webhooks", express.raw({ type: "application/json" }), receiver().nodeHandler());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(200);
    expect((await post(site.url, delivery({ key: "forged" }))).status).toBe(401);
  });

  it("answers 500 after express.json() and names it in the log", async () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const app = express();
    app.use(express.json());
    app.use("/webhooks", receiver({ logger }).nodeHandler());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(500);
    expect(String(logger.error.mock.lastCall?.[1].error)).toContain(
      "Express: mount this before express.json()",
    );
  });

  it("works after a parser for other content types", async () => {
    const app = express();
    app.use(express.urlencoded({ extended: false }), express.text());
    app.use("/webhooks", receiver().nodeHandler());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(200);
  });
});
