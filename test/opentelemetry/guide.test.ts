import { glob, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test("the guide's queries use every metric, and no unknown one", async () => {
  const made = new Set<string>();
  for await (const file of glob("src/opentelemetry/*.ts", { cwd: root })) {
    const source = await readFile(join(root, file), "utf8");
    for (const [, kind, name = "", options = ""] of source.matchAll(
      /\.create(Histogram|Counter|ObservableGauge)\("([\w.]+)", \{([^}]*)/g,
    )) {
      const unit = options.includes('unit: "s"') ? "_seconds" : "";
      made.add(`${name.replaceAll(".", "_")}${unit}${kind === "Counter" ? "_total" : ""}`);
    }
  }
  const guide = await readFile(join(root, "docs/production.md"), "utf8");
  const queried = [...guide.matchAll(/\bsettlekit_\w+(?=[{[)])/g)].map(([name]) =>
    name.replace(/_(count|bucket|sum)$/, (suffix) => (made.has(name) ? suffix : "")),
  );
  expect(made.size).toBeGreaterThan(10);
  const unknown = queried.filter((name) => !made.has(name));
  // The match includes labels in `by (...)`.
  expect(
    unknown.filter((name) => !/_(outcome|operation|reason|event|refusal|state|tenant)$/.test(name)),
  ).toEqual([]);
  const unused = [...made].filter((name) => !guide.includes(name));
  expect(unused).toEqual([]);
});

test("the guide explains every alert of its rules, in their order", async () => {
  const guide = await readFile(join(root, "docs/production.md"), "utf8");
  const rules = [...guide.matchAll(/^ +- alert: (\w+)/gm)].map(([, name]) => name);
  const explained = [...guide.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, name]) => name);
  expect(rules.length).toBeGreaterThan(10);
  expect(explained).toEqual(rules);
});
