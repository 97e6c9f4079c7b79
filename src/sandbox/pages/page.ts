import { html } from "hono/html";
import type { Events } from "../event-bus.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Payments } from "../service/payments.ts";
import type { Withdrawals } from "../service/withdrawals.ts";
import type { BrowserAssets } from "./browser-assets.ts";
import type { Html } from "./components.ts";

/** The parts of a sandbox that its pages show. */
export interface PagesOptions {
  readonly sandbox: Sandbox;
  readonly payments: Payments;
  readonly withdrawals: Withdrawals;
  readonly events: Events;
  /** Whether the sandbox's clock is frozen, which loading another state can change. */
  readonly isFrozen: () => boolean;
}

let assets: Promise<BrowserAssets> | undefined;

/** A script or a style sheet of the pages. */
export async function assetAnswer(name: string): Promise<Response> {
  // Sandboxes that show no page do not load them.
  assets ??= import("./browser-assets.ts").then(({ browserAssets }) => browserAssets());
  const text = (await assets).get(name);
  if (text === undefined) return new Response("There is no such asset.", { status: 404 });
  const type = name.endsWith(".css") ? "text/css" : "text/javascript";
  return new Response(text, { headers: { "Content-Type": `${type}; charset=utf-8` } });
}

/** Only the sandbox's own files run in a page, and no other page can frame it. */
const pageHeaders = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
};

interface PageParts {
  readonly title: string;
  /** The name of the page's script and style sheet. */
  readonly asset: "payment" | "inspector";
  readonly body: Html;
  readonly status?: number;
}

export async function pageAnswer({ title, asset, body, status = 200 }: PageParts) {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/_sandbox/assets/${asset}.css">
<script type="module" src="/_sandbox/assets/${asset}.js"></script>
</head>
<body>
${body}
</body>
</html>
`;
  return new Response(String(page), { status, headers: pageHeaders });
}
