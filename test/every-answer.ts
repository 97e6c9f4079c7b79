import { afterEach, expect, vi } from "vitest";
import type { App } from "../src/sandbox/serving/app.ts";
import type { Exchange } from "../src/sandbox/serving/exchange.ts";
import type { PlainAnswer } from "../src/sandbox/serving/plain-answer.ts";
import type { Received } from "../src/sandbox/serving/received.ts";
import { operationTable } from "../src/wire/operations.ts";
import type { Description } from "./contract/description.ts";

// Whatever a test is about: each answer that a sandbox gives in it must fit the OpenAPI document. Faults
// take the place of answers after this point, so they may be as wrong as a test wants them.

vi.mock("../src/sandbox/serving/exchange.ts", async (importOriginal) => {
  const { createExchange } =
    await importOriginal<typeof import("../src/sandbox/serving/exchange.ts")>();
  return {
    createExchange: (options: Parameters<typeof createExchange>[0]): Exchange =>
      createExchange({ ...options, app: judged(options.app) }),
  };
});

let judgements: Promise<string[]>[] = [];

afterEach(async () => {
  const problems = (await Promise.all(judgements)).flat();
  judgements = [];
  expect(problems).toEqual([]);
});

function judged(app: App): App {
  const { answer } = app;
  app.answer = (received) => {
    const answered = answer(received);
    judgements.push(judge(received, answered).catch((error: unknown) => [String(error)]));
    return answered;
  };
  return app;
}

let description: Promise<Description> | undefined;

/** Loaded at the first answer: most tests know no sandbox. */
function loadDescription(): Promise<Description> {
  description ??= import("./contract/description.ts").then(({ describeService }) =>
    describeService({ formats: true }),
  );
  return description;
}

async function judge({ method, url }: Received, answer: PlainAnswer): Promise<string[]> {
  const { pathname } = url;
  const { status } = answer;
  // Has no body to judge.
  if (method === "HEAD") return [];
  const { describesAnswer, answerProblems, problems } = await loadDescription();
  const body: unknown = JSON.parse(answer.body.text);
  const operation = operationFor(method, pathname);
  const isOtherError = status >= 400 && !(operation && describesAnswer(operation, status));
  const found =
    operation === undefined || isOtherError
      ? problems(["components", "schemas", "ErrorEnvelope"], body)
      : answerProblems(operation, status, body);
  return found.map((problem) => `${status} to ${method} ${pathname}: ${problem}`);
}

const placeholder = /\{\w+\}/g;

/** A path without placeholders is meant before one with them. */
const table = Object.values(operationTable).sort(
  (a, b) => (a.path.match(placeholder)?.length ?? 0) - (b.path.match(placeholder)?.length ?? 0),
);

function operationFor(method: string, pathname: string) {
  return table.find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replace(placeholder, "[^/]+")}$`).test(pathname),
  );
}
