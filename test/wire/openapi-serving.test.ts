import { resolve } from "node:path";
import { build } from "esbuild";
import { createSandbox } from "settlekit/sandbox";
import { expect, test } from "vitest";
import openApi from "../../api/openapi.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");

test("a sandbox serves the OpenAPI document, in process and on a port", async () => {
  const sandbox = createSandbox();
  await using server = await sandbox.listen({ port: 0 });
  const answers = [
    await sandbox.fetch(new Request("http://sandbox.test/openapi.json")),
    await sandbox.fetch(new Request("http://sandbox.test/openapi.json?again")),
    await fetch(`${server.url}/openapi.json`),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toBe("application/json");
    expect(await answer.json()).toEqual(openApi);
  }
});

test("the document is not an operation: it triggers no fault and is not recorded", async () => {
  const sandbox = createSandbox();
  sandbox.faults.next("*", { status: 503, when: "before" });
  const response = await sandbox.fetch(new Request("http://sandbox.test/openapi.json"));
  expect(response.status).toBe(200);
  expect(sandbox.requests()).toEqual([]);
});

test("a path that only resembles the document's is not found", async () => {
  const sandbox = createSandbox();
  for (const path of ["/openapi.json/", "/openapixjson", "/v1/openapi.json"]) {
    expect((await sandbox.fetch(new Request(`http://sandbox.test${path}`))).status).toBe(404);
  }
});

test.each(["index.ts", "checkout/index.ts", "webhooks/index.ts"])(
  "the document is not part of %s",
  async (entry) => {
    const { ever } = await inputsOf(entry);
    expect(ever).toContain(`src/${entry}`);
    expect(ever.filter(isOfDocument)).toEqual([]);
  },
);

test("a sandbox loads the document on the first request for it, not on import", async () => {
  const { atOnce, ever } = await inputsOf("sandbox/index.ts");
  expect(atOnce).toContain("src/sandbox/create-sandbox.ts");
  expect(atOnce.filter(isOfDocument)).toEqual([]);
  expect(ever).toContain("api/openapi.json");
});

function isOfDocument(file: string): boolean {
  return file === "api/openapi.json";
}

/** The files that an entry loads on import, and all files that it may ever load. */
async function inputsOf(entry: string) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`src/${entry}`],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    outdir: "out",
    write: false,
    metafile: true,
  });
  const { outputs } = metafile;
  const filesOf = (names: Iterable<string>) =>
    [...names].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));

  const atOnce = new Set<string>();
  function load(name: string): void {
    if (atOnce.has(name)) return;
    atOnce.add(name);
    for (const { path, kind } of outputs[name]?.imports ?? []) {
      if (kind === "import-statement") load(path);
    }
  }
  for (const [name, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint === `src/${entry}`) load(name);
  }
  return { atOnce: filesOf(atOnce), ever: filesOf(Object.keys(outputs)) };
}
