import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { expect, test } from "vitest";
import { entries } from "../../scripts/entries.ts";
import { built, settlekit, variablesWith } from "./command-line.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

async function codeFor(framework: string, folder: string): Promise<string> {
  const packageJson = JSON.stringify({ dependencies: { [framework]: "*" } });
  await writeFile(join(folder, "package.json"), packageJson);
  return (await settlekit(["init"], {}, folder)).stdout;
}

async function temporaryFolder() {
  const path = await mkdtemp(join(root, "node_modules/.cache/init-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** What the printed code assumes, by framework. */
const apps = {
  next: "",
  hono: 'import { Hono } from "hono"; const app = new Hono();',
  fastify: 'import fastify from "fastify"; const app = fastify();',
  koa: 'import Koa from "koa"; const app = new Koa();',
  express: 'import express from "express"; const app = express();',
  none: "",
};

test("settlekit init prints code that type-checks under strict settings", async () => {
  const tsconfig = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      paths: Object.fromEntries(
        Object.entries(entries).map(([name, file]) => [
          `settlekit${name.slice(1)}`,
          [join(root, file)],
        ]),
      ),
    },
    include: ["*.ts"],
    exclude: [],
  };
  // Inside the project, so that packages such as express are found.
  await using project = await temporaryFolder();
  await writeFile(join(project.path, "tsconfig.json"), JSON.stringify(tsconfig));
  for (const [framework, app] of Object.entries(apps)) {
    const code = await codeFor(framework, project.path);
    await writeFile(join(project.path, `${framework}.ts`), `${app}\n${code}`);
  }
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "--project", project.path];
  const { stdout } = await execute(process.execPath, args).catch((error) => error);
  expect(stdout).toBe("");
});

test("settlekit init prints code that handles payment.confirmed like payment.updated", async () => {
  await using project = await temporaryFolder();
  const code = await codeFor("none", project.path);
  expect(code).toContain('for (const event of ["payment.updated", "payment.confirmed"]) {');
});

test("settlekit init prints code for Next.js that `next build` can load without the variables", async () => {
  await using project = await temporaryFolder();
  const code = await codeFor("next", project.path);
  const fromBuild = code.replaceAll(/"settlekit(?:\/(\w+))?"/g, (_, entry = "index") =>
    JSON.stringify(join(built, `${entry}.js`)),
  );
  const { outputText } = ts.transpileModule(fromBuild, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  const route = join(project.path, "route.mjs");
  await writeFile(route, outputText);
  const load = `console.log(Object.keys(await import(${JSON.stringify(pathToFileURL(route))})))`;
  const args = ["--input-type=module", "--eval", load];
  const { stdout } = await execute(process.execPath, args, { env: variablesWith({}) });
  // Next.js refuses any other export of a route.
  expect(stdout).toBe("[ 'POST' ]\n");
});
