import type { BrowserAssets } from "./browser-assets.ts";

let assets: Promise<BrowserAssets> | undefined;

/** A script or a style sheet of the pages. */
export async function assetAnswer(name: string): Promise<Response> {
  // Only pages need it: a sandbox that shows none does not load it.
  assets ??= import("./browser-assets.ts").then(({ browserAssets }) => browserAssets());
  const text = (await assets).get(name);
  if (text === undefined) return new Response("There is no such asset.", { status: 404 });
  const type = name.endsWith(".css") ? "text/css" : "text/javascript";
  return new Response(text, { headers: { "Content-Type": `${type}; charset=utf-8` } });
}
