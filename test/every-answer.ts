import type { Hono } from "hono";
import { afterEach, expect, vi } from "vitest";
import type { ServiceEnv } from "../src/sandbox/service/answers.ts";
import type { Operation } from "../src/wire/operation.ts";
import * as operations from "../src/wire/operations.ts";
import type { Description } from "./contract/description.ts";

// Every response of a sandbox in any test must match the OpenAPI document. Faults replace responses after this check,
// so a test may make them as wrong as it likes.

vi.mock("../src/sandbox/service/operations.ts", async (importOriginal) => {
  const original = await importOriginal<typeof import("../src/sandbox/service/operations.ts")>();
  const serveOperations: typeof original.serveOperations = (app, options) => {
    judgeAnswers(app);
    original.serveOperations(app, options);
  };
  return { ...original, serveOperations };
});

/** Shared by the test files of a process, because the module above is loaded once for all of them. */
const { judgements } = await import("./judgements.ts");

afterEach(async () => {
  const problems = (await Promise.all(judgements.splice(0))).flat();
  expect(problems).toEqual([]);
});

function judgeAnswers(app: Hono<ServiceEnv>): void {
  app.use(async (c, next) => {
    await next();
    const { method, path } = c.req;
    // There is no body to judge.
    if (method === "HEAD") return;
    const judgement = judge(method, path, c.res.status, c.var.answer);
    judgements.push(judgement.catch((error: unknown) => [String(error)]));
  });
}

let description: Promise<Description> | undefined;

/** Loaded at the first response, because most tests use no sandbox. */
function loadDescription(): Promise<Description> {
  description ??= import("./contract/description.ts").then(({ describeService }) =>
    describeService({ formats: true }),
  );
  return description;
}

async function judge(
  method: string,
  pathname: string,
  status: number,
  answer: string,
): Promise<string[]> {
  const { describesAnswer, answerProblems, problems } = await loadDescription();
  const body: unknown = JSON.parse(answer);
  const known = operationFor(method, pathname);
  const operation = described.find(
    (it): it is (typeof operationTable)[keyof typeof operationTable] => it === known,
  );
  if (known && !operation && status < 400) {
    const { error } = known.response.safeParse(body);
    return error ? [`${status} to ${method} ${pathname}: ${error.message}`] : [];
  }
  const isOtherError = status >= 400 && !(operation && describesAnswer(operation, status));
  const found =
    operation === undefined || isOtherError
      ? problems(["components", "schemas", "ErrorEnvelope"], body)
      : answerProblems(operation, status, body);
  return found.map((problem) => `${status} to ${method} ${pathname}: ${problem}`);
}

const placeholder = /\{\w+\}/g;

/** Paths without placeholders take precedence over those with them. */
const { operationTable, documentedOperations: _, ...all } = operations;
const described: readonly Operation<unknown>[] = Object.values(operationTable);
const table = Object.values<Operation<unknown>>(all).sort(
  (a, b) => (a.path.match(placeholder)?.length ?? 0) - (b.path.match(placeholder)?.length ?? 0),
);

function operationFor(method: string, pathname: string) {
  return table.find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replace(placeholder, "[^/]+")}$`).test(pathname),
  );
}
