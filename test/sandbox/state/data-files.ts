import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { fastFolder } from "../../fast-folder.ts";

/** A folder, which other users can read, until the test file ends, and the paths of new data files in it. */
export function dataFolder() {
  const folder = mkdtempSync(join(fastFolder, "settlekit-data-"));
  chmodSync(folder, 0o755);
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  return { folder, newFile: () => join(folder, `${++files}.sqlite`) };
}

export const refusal = (code: string, message: RegExp) =>
  expect.objectContaining({ code, param: "data", message: expect.stringMatching(message) });
