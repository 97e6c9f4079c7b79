import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { unsupportedNode } from "../../src/runtime.ts";

test.each(["22.12.0", "22.13.1", "23.0.0", "24.21.0", "26.0.0-nightly"])(
  "Node %s will do",
  (version) => {
    expect(unsupportedNode(version)).toBeUndefined();
  },
);

test.each(["18.20.4", "20.20.2", "22.0.0", "22.11.9"])(
  "Node %s is told to be too old, and what is needed",
  (version) => {
    const { node } = packageJson.engines;
    const [, needed] = /^>=(\d+\.\d+)\.0$/.exec(node) ?? [];
    expect(unsupportedNode(version)).toMatch(
      new RegExp(`^settlekit needs Node ${needed} or later, and this is Node ${version}\\.`),
    );
  },
);
