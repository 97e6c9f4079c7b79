import express from "express";
import { describe, expect, it, vi } from "vitest";
import { delivery, receiver } from "./deliveries.ts";
import { listening, post } from "./sites.ts";

// Refusals are logged by default.
vi.spyOn(console, "warn").mockReturnValue();

describe("the handler in Express", () => {
  it("works after express.raw()", async () => {
    const app = express();
    app.post("/webhooks", express.raw({ type: "application/json" }), receiver().nodeHandler());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(200);
    expect((await post(site.url, delivery({ key: "forged" }))).status).toBe(401);
  });

  it("works after a parser for other content types", async () => {
    const app = express();
    app.use(express.urlencoded({ extended: false }), express.text());
    app.use("/webhooks", receiver().nodeHandler());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(200);
  });
});
