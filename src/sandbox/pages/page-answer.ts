import type { Html } from "./html.ts";
import { html } from "./html.ts";

/**
 * Nothing runs in a page but the sandbox's own files, nothing frames it, and where it is known to nobody
 * it links to.
 */
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
  readonly asset: string;
  readonly body: Html;
  readonly status?: number;
}

/** A whole page. */
export function pageAnswer({ title, asset, body, status = 200 }: PageParts): Response {
  const page = html`<!doctype html>
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
  return new Response(page.text, { status, headers: pageHeaders });
}
