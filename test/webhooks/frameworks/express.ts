import express from "express";
import { listening } from "../sites.ts";
import type { Framework } from "./framework.ts";

export const express5: Framework = {
  name: "Express 5",
  serve(webhooks) {
    const app = express();
    app.all("/webhooks", webhooks.nodeHandler());
    app.use(express.json());
    return listening(app);
  },
  serveAfterParser(webhooks) {
    const app = express();
    app.use(express.json());
    app.all("/webhooks", webhooks.nodeHandler());
    return listening(app);
  },
  cure: /Express: mount this before express\.json\(\)/,
};
