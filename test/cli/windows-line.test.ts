import { expect, test } from "vitest";
import { windowsLine } from "../../src/cli/windows-line.ts";

test("a command line for Windows keeps each word together", () => {
  expect(windowsLine(["npm", "test"])).toBe("npm test");
  expect(windowsLine(["C:\\tools\\a.cmd", "two words", "", "a&b", 'say "x"'])).toBe(
    'C:\\tools\\a.cmd "two words" "" "a&b" "say \\"x\\""',
  );
});
