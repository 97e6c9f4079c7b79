import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assign, assignmentFrom } from "../../src/cli/assignments.ts";
import { UsageError } from "../../src/cli/exit-codes.ts";

function assigned(...assignments: string[]): object {
  const target = { status: "pending", receipt: { txHash: "0x1" }, list: [1], nothing: null };
  for (const assignment of assignments) assign(target, assignmentFrom(assignment));
  return target;
}

describe("--set", () => {
  test("parses JSON, and takes anything else as a string", () => {
    expect(
      assigned("a=1", "b=true", "c=null", 'd="1"', "e=[1,2]", "f=x=y", "g=", "h={no"),
    ).toMatchObject({
      a: 1,
      b: true,
      c: null,
      d: "1",
      e: [1, 2],
      f: "x=y",
      g: "",
      h: "{no",
    });
  });

  test("sets nested fields, and creates missing objects", () => {
    expect(assigned("receipt.txBlockNumber=7", "new.deep.field=x")).toMatchObject({
      receipt: { txHash: "0x1", txBlockNumber: 7 },
      new: { deep: { field: "x" } },
    });
  });

  test.each(["", "a", "=1", ".a=1", "a..b=1", "a.=1"])("refuses %j", (text) => {
    expect(() => assigned(text)).toThrow(/Expected a path, = and a value/);
  });

  test.each(["status.a=1", "list.0=1", "nothing.a=1"])(
    "refuses %s, whose path leads through something that is not an object",
    (text) => {
      expect(() => assigned(text)).toThrow(/is not an object/);
    },
  );

  test.each([
    "__proto__.polluted=1",
    "a.__proto__=1",
    "constructor.prototype.x=1",
    "a.prototype=1",
  ])("refuses %s, whose path names a prototype", (text) => {
    expect(() => assigned(text)).toThrow(/cannot be set/);
  });

  test("shadows an inherited member instead of changing it", () => {
    const target = {};
    assign(target, assignmentFrom("toString.call=1"));
    expect(target).toEqual({ toString: { call: 1 } });
    expect(Object.prototype.toString.call([])).toBe("[object Array]");
  });

  test("never changes a built-in prototype", () => {
    const shared = [Object.prototype, Function.prototype, Array.prototype];
    const names = () => shared.map((object) => Object.getOwnPropertyNames(object).length);
    const before = names();
    const segment = fc.oneof(
      fc.constantFrom("__proto__", "constructor", "prototype", "toString", "a"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), fc.json(), (path, value) => {
        try {
          assign({}, assignmentFrom(`${path.join(".")}=${value}`));
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
        }
        expect(names()).toEqual(before);
      }),
    );
  });
});
