import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries } from "../../scripts/entries.ts";
import { MerchantClient } from "../../src/index.ts";
import { signedDelivery } from "../../src/testing/index.ts";
import { type BlockKind, codeBlocks, root } from "./code-block.ts";
import { docstringClaims, docstringExamples } from "./docstring-examples.ts";
import { runProgram } from "./run-program.ts";

const run = promisify(execFile);
const blocks = await codeBlocks();
const code = blocks.filter(({ language }) => ["ts", "tsx", "js"].includes(language));
const ofKind = (kind: BlockKind) => code.filter((block) => block.kind === kind);

/** Stands in for Vue, which is not installed: the guide's declaration was checked with vue-tsc. */
const vueTypes = `declare module "vue" {
  export interface HTMLAttributes {}
  export type EmitFn<Events> = (name: keyof Events) => void;
}`;

describe("the code in README, guides and docstrings", () => {
  // Inside the project, so that packages such as express are found.
  const caches = join(root, "node_modules/.cache");
  let folder: string;
  beforeAll(async () => {
    await mkdir(caches, { recursive: true });
    folder = await mkdtemp(join(caches, "code-blocks-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("type-checks under strict settings", async () => {
    for (const { place, language, code: source } of code) {
      const name = place.replaceAll(/[/.:]/g, "-");
      // TypeScript does not type what require() returns.
      const typed = source.replaceAll("require(", "await import(");
      const extension = language === "tsx" ? "tsx" : "ts";
      await writeFile(join(folder, `${name}.${extension}`), `${typed}\nexport {};\n`);
    }
    await writeFile(join(folder, "docstrings.ts"), await docstringExamples());
    await writeFile(join(folder, "vue.d.ts"), vueTypes);
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        jsx: "react-jsx",
        paths: Object.fromEntries(
          Object.entries(entries).map(([name, file]) => [
            `settlekit${name.slice(1)}`,
            [join(root, file)],
          ]),
        ),
      },
      include: ["*.ts", "*.tsx"],
      exclude: [],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "--project", folder]).catch(
      (error) => error,
    );
    const errors = String(stdout).split(/\n(?=\S)/);
    // The source itself is checked elsewhere.
    expect(errors.filter((error) => error.trim() && !error.startsWith("src/"))).toEqual([]);
  });

  test("is written in a language that is checked", () => {
    const languages = new Set(blocks.map(({ language }) => language));
    // The styles and markup of the checkout element are tested in a browser; text blocks show output. The YAML block is
    // checked with the metrics that it uses.
    const checked = ["ts", "tsx", "js", "sh", "sql", "json", "css", "html", "text", "yaml"];
    expect([...languages].filter((it) => !checked.includes(it))).toEqual([]);
    for (const { language, code: text } of blocks) if (language === "json") JSON.parse(text);
  });

  test("claims output only in blocks whose output is checked", () => {
    for (const { place, kind, code: source, prints } of code) {
      const claims = [...source.matchAll(/console\.\w+\(.*\);? *\/\/ (?!prints: )(.*)/g)];
      expect(claims.map(([, claim]) => `${place} ${claim}`)).toEqual([]);
      if (kind !== "program") expect(prints, place).toEqual([]);
    }
  });

  test("consists mostly of programs", () => {
    const counts = Object.groupBy(code, ({ kind }) => kind);
    const count = (kind: BlockKind) => counts[kind]?.length ?? 0;
    const programs = count("program") + count("server");
    process.stdout.write(
      `${code.length} blocks of code are type-checked: ${programs} are run here, ${count("example")} by ` +
        `the tests of examples, ${count("fragment")} are fragments.\n`,
    );
    expect(programs + count("example")).toBeGreaterThan(3 * count("fragment"));
  });
});

describe.concurrent("a program in README or a guide", () => {
  test.each(ofKind("program"))("runs: $place", async ({ code: source, prints }) => {
    await using program = await runProgram(source, { webhookUrl: undefined });
    const exitCode = await program.run.ended();
    const { output } = program.run;
    expect(exitCode, output).toBe(0);
    let rest = output;
    for (const claim of prints) {
      const line = lineOf(claim).exec(rest);
      expect(line, `"${claim}" in: ${rest}`).not.toBeNull();
      rest = rest.slice((line?.index ?? 0) + (line?.[0].length ?? 0));
    }
  });

  test.each(ofKind("server"))("learns of a payment: $place", async ({ code: source }) => {
    await using program = await runProgram(source);
    const { run, sandbox, serviceUrl, url } = program;
    await run.answers(`${url}/webhooks`);
    const client = new MerchantClient({
      environment: "sandbox",
      baseUrl: serviceUrl,
      secretKey: sandbox.secretKey,
    });
    const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
    await sandbox.payments.simulate(paymentId, "success");
    await run.printed(/order_1/);
    await sandbox.webhooks.idle();
    const statuses = sandbox.webhooks.deliveries().map(({ attempts }) => attempts.at(-1)?.status);
    expect(statuses).toEqual([200, 200]);

    const event = { event: "payment.updated", data: { status: "completed", orderId: "order_2" } };
    const { body, headers } = signedDelivery({ event, secret: "whsec_forged" });
    const forged = await fetch(`${url}/webhooks`, { method: "POST", headers, body });
    expect(forged.status).toBe(401);
  });
});

test("functions return what their docstrings say", async () => {
  const { program: source, count } = await docstringClaims();
  expect(count).toBeGreaterThan(15);
  await using program = await runProgram(source);
  const exitCode = await program.run.ended();
  expect(exitCode, program.run.output).toBe(0);
});

/** Matches a whole line of output, with any text in place of each `…`. */
function lineOf(claim: string): RegExp {
  const parts = claim.split("…").map((part) => part.replaceAll(/[^\w\s]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`, "m");
}
