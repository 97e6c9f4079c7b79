// Longer than 300 lines, because packing and installing is slow, so all of these tests share one installation.

import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { build } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries, outputName } from "../../scripts/entries.ts";
import { installInto, packInto } from "../../scripts/pack.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
let project: string;
let paths: string[];

/** An empty project with the packed package installed and nothing else. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "settlekit-package-"));
  const { path, files } = await packInto(project);
  paths = files.map((file) => file.path);
  await installInto(project, path);
}, 900_000);

afterAll(() => rm(project, { recursive: true }));

interface Sbom {
  readonly metadata: { readonly component: { readonly purl: string } };
  readonly components: readonly {
    readonly group?: string;
    readonly name: string;
    readonly version?: string;
    readonly licenses?: readonly unknown[];
  }[];
}

const installed = (path: string) => join(project, "node_modules/settlekit", path);
const manifest = async () => JSON.parse(await readFile(installed("package.json"), "utf8"));

async function node(file: string, source: string, ...flags: string[]): Promise<string> {
  await writeFile(join(project, file), source);
  const { stdout, stderr } = await run(process.execPath, [...flags, file], { cwd: project });
  expect(stderr).toBe("");
  return stdout.trim();
}

describe("the tarball", () => {
  test("holds code, declarations, source maps, licences, guides and what npm adds, and nothing else", () => {
    const kinds =
      /^(package\.json|README\.md|LICENSE|llms\.txt|docs\/[a-z-]+\.md|docs\/images\/[a-z]+\.webp|dist\/(THIRD_PARTY_NOTICES\.txt|sbom\.cdx\.json)|dist\/.+\.(js|js\.map|d\.ts))$/;
    expect(paths.filter((path) => !kinds.test(path))).toEqual([]);
    expect(paths.filter((path) => !path.includes("/")).sort()).toEqual([
      "LICENSE",
      "README.md",
      "llms.txt",
      "package.json",
    ]);
  });

  test("has a README whose links and pictures are all in the package", async () => {
    const readme = await readFile(installed("README.md"), "utf8");
    const targets = [...readme.matchAll(/(?:\]\(|src(?:set)?=")(?!https?:)([^)#"]+)/g)];
    expect(targets.length).toBeGreaterThan(15);
    expect(targets.map(([, path = ""]) => path).filter((path) => !paths.includes(path))).toEqual(
      [],
    );
  });

  test("has no dependencies, and runs nothing when it is installed", async () => {
    const { scripts = {}, ...rest } = await manifest();
    expect(rest).not.toHaveProperty("dependencies");
    expect(rest).not.toHaveProperty("optionalDependencies");
    const atInstall = /^(pre|post)?(install|prepare)$/;
    expect(Object.keys(scripts).filter((name) => atInstall.test(name))).toEqual([]);
    // npm keeps hidden files of its own next to the packages.
    const packages = (await readdir(join(project, "node_modules"))).filter((it) => !/^\./.test(it));
    expect(packages).toEqual(["settlekit"]);
  });

  test("has a package.json that npm publishes as it is, without corrections and their warnings", async () => {
    const folder = join(project, "published");
    await cp(installed("package.json"), join(folder, "package.json"));
    await run("npm", ["pkg", "fix"], { cwd: folder });
    const published = await readFile(join(folder, "package.json"), "utf8");
    expect(JSON.parse(published)).toEqual(await manifest());
  });

  test("has a source map with its sources for every code file", async () => {
    const code = paths.filter((path) => path.endsWith(".js"));
    expect(code.length).toBeGreaterThan(7);
    const without: string[] = [];
    for (const path of code) {
      const map = JSON.parse(await readFile(installed(`${path}.map`), "utf8"));
      const { sources, sourcesContent }: { sources: string[]; sourcesContent?: unknown[] } = map;
      const isWhole = sources.every((source, index) => {
        const isElsewhere = /^([a-z-]+:)?(\/|[A-Za-z]:\\)/.test(source);
        return !isElsewhere && typeof sourcesContent?.[index] === "string";
      });
      if (!isWhole) without.push(path);
    }
    expect(without).toEqual([]);
  });

  test("lists every package whose code it bundles, with version and licence", async () => {
    const notices = await readFile(installed("dist/THIRD_PARTY_NOTICES.txt"), "utf8");
    const sbom = await readFile(installed("dist/sbom.cdx.json"), "utf8");
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(sbom)).toBe(null);
    const { metadata, components }: Sbom = JSON.parse(sbom);
    expect(metadata.component.purl).toBe(`pkg:npm/settlekit@${(await manifest()).version}`);
    const listed = components.map(({ group, name }) => (group ? `${group}/${name}` : name));
    expect(components.filter(({ version, licenses }) => !version || !licenses?.length)).toEqual([]);
    const bundled = new Set<string>();
    for (const path of paths.filter((path) => path.endsWith(".js.map"))) {
      const { sources } = JSON.parse(await readFile(installed(path), "utf8"));
      for (const source of sources as string[]) {
        const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
        if (name !== undefined) bundled.add(name);
      }
    }
    expect(bundled.size).toBeGreaterThan(2);
    expect(listed).toEqual(expect.arrayContaining([...bundled]));
    for (const name of listed)
      expect(notices).toMatch(new RegExp(`^${name} \\d\\S* \\(\\S+\\)$`, "m"));
  });
});

/** The user's packages that an entry may import: optional peers, or types only. */
const peers: Readonly<Record<string, readonly string[]>> = {
  sqlite: ["node:sqlite"],
  opentelemetry: ["@opentelemetry/api"],
  schemas: ["zod"],
  "testing/msw": ["msw"],
  "checkout/react": ["react"],
};

test("declarations import nothing but each other, and the peers of their entry", async () => {
  const foreign: string[] = [];
  for (const path of paths.filter((path) => path.endsWith(".d.ts"))) {
    const { importedFiles } = ts.preProcessFile(await readFile(installed(path), "utf8"));
    const entry = path.slice("dist/".length, -".d.ts".length);
    const others = importedFiles
      .map(({ fileName }) => fileName)
      .filter((name) => !name.startsWith(".") && !peers[entry]?.includes(name));
    foreign.push(...others.map((name) => `${name} in ${path}`));
  }
  expect(foreign).toEqual([]);
});

test.each(Object.keys(entries))("%s declares exactly the values that it exports", async (entry) => {
  const path = `dist/${outputName(entry)}`;
  // Read rather than imported, because some entries need a package that is not installed here.
  const exported = async (file: string) =>
    [...(await readFile(installed(file), "utf8")).matchAll(/^export \{([^}]*)\}/gm)]
      .flatMap(([, list = ""]) => list.split(","))
      .map((name) => name.trim().replace(/.* as /, ""))
      .sort();
  const values = await exported(`${path}.js`);
  expect(values.length).toBeGreaterThan(0);
  expect(await exported(`${path}.d.ts`)).toEqual(values);
});

/** Bundles for browsers. Importing a Node module fails the build. */
async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

test.each(["", "/checkout", "/checkout/element", "/webhooks", "/webhooks/fastify"])(
  "a bundle of settlekit%s for browsers and workers needs no Node modules",
  async (entry) => {
    const text = await bundled(`export * from "settlekit${entry}"`);
    expect(text).not.toMatch(/(from|import|require)\s*\(?["'`]node:/);
  },
);

test("a bundle of settlekit/checkout/element loads QR codes on demand", async () => {
  const { metafile } = await build({
    stdin: { contents: `export * from "settlekit/checkout/element"`, resolveDir: project },
    bundle: true,
    splitting: true,
    outdir: "bundle",
    format: "esm",
    write: false,
    metafile: true,
  });
  const loaded = ["bundle/stdin.js"];
  for (const file of loaded) {
    const imports = metafile.outputs[file]?.imports ?? [];
    loaded.push(...imports.filter((it) => it.kind === "import-statement").map((it) => it.path));
  }
  const code = async (outputs: readonly string[]) => {
    const inputs = outputs.flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
    const files = inputs.filter((file) => file !== "<stdin>");
    return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("");
  };
  expect(await code(loaded)).not.toContain("function renderSVG");
  expect(await code(Object.keys(metafile.outputs))).toContain("function renderSVG");
});

test.each([
  "isPaid",
  "usdToCents",
  "formatUnits",
  "isAddress",
  "chains",
  "nativePaymentUri",
  "idempotencyKeyFrom",
  "SettlekitError",
])("a bundle with %s alone has none of the client's libraries", async (helper) => {
  const text = await bundled(`export { ${helper} } from "settlekit"`);
  expect(text).not.toMatch(/KyError|ZodError/);
  expect(text.length).toBeLessThan(12_000);
});

const payAnOrder = `
  const sandbox = createSandbox({ deliver: async () => new Response() });
  const main = async () => {
    const server = await sandbox.listen({ port: 0 });
    const { secretKey } = sandbox;
    const client = new MerchantClient({ secretKey, environment: "sandbox", baseUrl: server.url });
    const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
    await sandbox.payments.simulate(paymentId, "success");
    const { body, headers } = signWebhook({ event: { event: "payment.updated", data: {} }, secret: "s" });
    const webhook = await new Webhooks({ secret: "s" }).verify({ body, headers });
    console.log(isPaid((await client.payments.get(paymentId)).status), webhook.event);
    await server.close();
  };
  main();
`;

const asModule = `
  import { isPaid, MerchantClient } from "settlekit";
  import { createSandbox } from "settlekit/sandbox";
  import { signWebhook, Webhooks } from "settlekit/webhooks";
  ${payAnOrder}`;

test("a module imports it, pays an order in the sandbox and verifies a webhook", async () => {
  expect(await node("import.mjs", asModule)).toBe("true payment.updated");
});

test("a CommonJS file requires it and does the same", async () => {
  const source = `
    const { isPaid, MerchantClient } = require("settlekit");
    const { createSandbox } = require("settlekit/sandbox");
    const { signWebhook, Webhooks } = require("settlekit/webhooks");
    ${payAnOrder}`;
  expect(await node("require.cjs", source)).toBe("true payment.updated");
});

test("a module does the same when code generation from strings is disallowed", async () => {
  const flag = "--disallow-code-generation-from-strings";
  expect(await node("no-eval.mjs", asModule, flag)).toBe("true payment.updated");
});

test("importing every entry reads no environment variable, sends nothing, prints nothing and leaves zod's registry alone", async () => {
  const entries = Object.keys((await manifest()).exports).filter(
    // Four entries need a package that is not installed here.
    (name) =>
      ![
        "./package.json",
        "./opentelemetry",
        "./schemas",
        "./testing/msw",
        "./checkout/react",
      ].includes(name),
  );
  expect(entries).toHaveLength(12);
  const source = `
    const read = [];
    // Node's loader reads variables of its own meanwhile.
    const isOurs = () => new Error().stack.includes("node_modules/settlekit");
    const get = (_, name) => void (isOurs() && read.push(name));
    process.env = new Proxy({}, { get });
    globalThis.fetch = () => read.push("fetch");
    for (const name of ${JSON.stringify(entries)}) {
      const module = await import("settlekit" + name.slice(1));
      if (Object.keys(module).length === 0) read.push("nothing in " + name);
    }
    if ("__zod_globalRegistry" in globalThis) read.push("a registry of zod's");
    console.log(JSON.stringify(read));
    const { MerchantClient } = await import("settlekit");
    const { Webhooks } = await import("settlekit/webhooks");
    try { new MerchantClient(); } catch {}
    try { await new Webhooks({}).verify({ body: "", headers: {} }); } catch {}
    console.log(read.length > 0 && read.every((name) => name.startsWith("SETTLEKIT_")));`;
  expect(await node("entries.mjs", source)).toBe("[]\ntrue");
});

test("importing it does not load Node's fetch, which takes as long as the rest", async () => {
  const source = `
    const isLoaded = () => process.moduleLoadList.some((name) => name.includes("deps/undici/undici"));
    for (const entry of ["", "/checkout", "/webhooks"]) await import("settlekit" + entry);
    console.log(isLoaded(), new Request("https://shop.example").method, isLoaded());`;
  expect(await node("fetch.mjs", source)).toBe("false GET true");
});

test.each([
  ["opentelemetry", "@opentelemetry/api"],
  ["testing/msw", "msw"],
  ["schemas", "zod"],
  ["checkout/react", "react"],
])("settlekit/%s needs %s, an optional peer", async (entry, peer) => {
  const source = `console.log(await import("settlekit/${entry}").catch(({ message }) => message));`;
  expect(await node("peer.mjs", source)).toMatch(new RegExp(`^Cannot find package '${peer}'`));
  const { peerDependencies, peerDependenciesMeta } = await manifest();
  // npm would refuse to install settlekit in a project with another version, used or not.
  expect(peerDependencies[peer]).toBe("*");
  expect(peerDependenciesMeta[peer].optional).toBe(true);
});

test("settlekit/schemas builds its schemas with the user's zod, as Standard Schemas", async () => {
  await cp(join(root, "node_modules/zod"), join(project, "node_modules/zod"), { recursive: true });
  const source = `
    import { paginationSchema } from "settlekit/schemas";
    import * as z from "zod";
    const page = { total: 1, limit: 1, offset: 0, hasMore: false, totalPages: 1, currentPage: 1 };
    const isOwn = paginationSchema instanceof z.ZodObject;
    const { total } = paginationSchema.pick({ total: true }).parse(page);
    const { issues } = await paginationSchema["~standard"].validate({ ...page, total: "many" });
    console.log(isOwn, total, issues.map(({ path }) => path.join(".")).join());`;
  try {
    expect(await node("schemas.mjs", source)).toBe("true 1 total");
  } finally {
    await rm(join(project, "node_modules/zod"), { recursive: true });
  }
});

test("classes that a program can print keep their names", async () => {
  const names = `
    import { MerchantClient } from "settlekit";
    import { createSandbox } from "settlekit/sandbox";
    import { Webhooks } from "settlekit/webhooks";
    const { fetch, secretKey } = createSandbox();
    const baseUrl = "http://127.0.0.1:4010";
    const client = new MerchantClient({ secretKey, environment: "sandbox", baseUrl, fetch: (url, init) => fetch(new Request(url, init)) });
    const values = [client, client.payments, await client.payments.list(), new Webhooks({ secret: "s" })];
    console.log(values.map(({ constructor }) => constructor.name).join());
  `;
  expect(await node("names.mjs", names)).toBe("MerchantClient,Payments,Page,Webhooks");
});

test("npx settlekit --version prints the version", async () => {
  const { stdout } = await run("npx", ["--no-install", "settlekit", "--version"], { cwd: project });
  expect(stdout.trim()).toBe((await manifest()).version);
});

test("README's quickstart runs as it stands", async () => {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const [, quickstart = ""] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  await writeFile(join(project, "quickstart.mjs"), quickstart);
  const { stdout, stderr } = await run(process.execPath, ["quickstart.mjs"], { cwd: project });
  expect(stderr).toBe("");
  expect(stdout.trim()).toMatch(/^pay at \/payment\/[0-9a-f-]+\norder_1 is completed$/);
});

test("error classes are the same class in every entry", async () => {
  const source = `
    import * as main from "settlekit";
    import * as webhooks from "settlekit/webhooks";
    console.log(main.WebhookVerificationError === webhooks.WebhookVerificationError);`;
  expect(await node("classes.mjs", source)).toBe("true");
});

test("npm run demo pays one order, underpays one, lets one expire, and says so", async () => {
  const { stdout } = await run(process.execPath, ["examples/demo.ts"], { cwd: root });
  expect(stdout).toContain("All three orders are in the expected state.");
});
