import { describe, expect, test } from "vitest";
import { UnexpectedResponseError } from "../../src/errors.ts";
import type { ClientEvent } from "../../src/http/events.ts";
import { operationTable } from "../../src/wire/operations.ts";
import { answers } from "../wire/answers.ts";
import { httpTo, secretKey } from "./http-to.ts";

type Path = readonly (string | number)[];

/** The paths of all fields and items in a value. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, child]) =>
    pathsIn(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0 ? inner : [path, ...inner];
}

/** A copy in which one field is deleted, null or of another type. */
function mutated(answer: object, path: Path, how: "deleted" | "null" | "retyped"): object {
  const copy = structuredClone(answer);
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => Object(at)[key], copy) as never;
  const key = path.at(-1) ?? "";
  const isText = ["string", "number", "boolean"].includes(typeof parent[key]);
  if (how !== "deleted") Reflect.set(parent, key, how === "null" ? null : isText ? {} : 7);
  else if (Array.isArray(parent)) (parent as unknown[]).splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
  return copy;
}

async function answerTo(
  operation: (typeof operationTable)[keyof typeof operationTable],
  body: unknown,
) {
  const events: ClientEvent[] = [];
  const fetch = () => Promise.resolve(Response.json(body));
  const http = httpTo(
    { url: "https://api.example" },
    { fetch, environment: "testnet", onEvent: (event) => events.push(event) },
  );
  const input = {
    path: { paymentId: "p", withdrawalId: "w", merchantId: "m", chainId: "1", tokenId: "t" },
  };
  const value = await http.call<unknown>(operation, input).catch((error: unknown) => error);
  const drift = events.find((event) => event.type === "drift");
  return { value, drift: drift?.paths ?? [] };
}

describe.each(Object.entries(operationTable))("a response to %s", (name, operation) => {
  const answer = answers[name as keyof typeof operationTable];
  const isEssential = (path: Path) =>
    path.length === 1 && operation.essential.includes(String(path[0]) as never);
  const paths = pathsIn(answer);

  test("that is complete has no drift", async () => {
    expect(await answerTo(operation, answer)).toEqual({ value: answer, drift: [] });
  });

  test.each(["deleted", "null", "retyped"] as const)(
    "is returned unchanged, and the drift names the path, when a field is %s",
    async (how) => {
      for (const path of paths.filter((path) => !isEssential(path))) {
        const body = mutated(answer, path, how);
        const { value, drift } = await answerTo(operation, body);
        expect(value).toEqual(body);
        const keys = path.map((key) => (typeof key === "number" ? "*" : key));
        const fieldsAbove = keys.map((_, index) => keys.slice(0, index + 1).join("."));
        expect(fieldsAbove).toEqual(expect.arrayContaining([...drift]));
        if (how === "retyped") expect({ path, drift }).not.toEqual({ path, drift: [] });
      }
    },
  );

  test.each(["deleted", "null", "retyped"] as const)(
    "causes an error that holds it when an essential field is %s",
    async (how) => {
      for (const path of paths.filter(isEssential)) {
        const body = mutated(answer, path, how);
        const { value } = await answerTo(operation, body);
        expect(value).toBeInstanceOf(UnexpectedResponseError);
        expect(value).toMatchObject({ outcome: "unknown", body });
        expect(String(value)).toContain(`without ${path[0]}`);
      }
    },
  );
});

test.each([
  ["loyalty.points.*", "9007199254740993", '"loyalty":{"points":[9007199254740993, 7]}'],
  ["points", "9007199254740993", '"points":9007199254740993,"reference":"1"'],
  ["points.*", "-9007199254740993", '"points":[ -9007199254740993,\n\t-9007199254740993 ]'],
])(
  "an integer beyond the safe range at %s is drift, and rawBody keeps %s",
  async (path, digits, more) => {
    const events: ClientEvent[] = [];
    const body = `{"id":"p","status":"pending","reference":"9007199254740993",${more}}`;
    const http = httpTo(
      { url: "https://api.example" },
      {
        fetch: () => Promise.resolve(new Response(body)),
        environment: "testnet",
        onEvent: (event) => events.push(event),
      },
    );
    const input = { path: { paymentId: "p" } };
    const { rawBody } = await http.call(operationTable.getCheckoutStatus, input).withResponse();
    expect(rawBody).toContain(digits);
    expect(events.find((event) => event.type === "drift")?.paths).toEqual([path]);
  },
);

test.each([
  ["lists nested 2,000 deep", `${"[9007199254740993,".repeat(2_000)}1${"]".repeat(2_000)}`],
  ["a name of 60,000 characters", `{"${"n".repeat(60_000)}":{"a":9007199254740993}}`],
  ["a name that is the credential", `{"${secretKey}":9007199254740993}`],
])("the paths of unsafe integers in %s are short, without a credential", async (_, extra) => {
  const events: ClientEvent[] = [];
  const http = httpTo(
    { url: "https://api.example" },
    {
      fetch: () => Promise.resolve(new Response(`{"id":"p","status":"pending","extra":${extra}}`)),
      environment: "testnet",
      onEvent: (event) => events.push(event),
    },
  );
  await http.call(operationTable.getCheckoutStatus, { path: { paymentId: "p" } });
  const paths = events.flatMap((event) => (event.type === "drift" ? event.paths : []));
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.join()).not.toContain(secretKey);
  expect(paths.join("").length).toBeLessThan(50_000);
});
