import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, statSync, truncateSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { dataFolder, refusal } from "./data-files.ts";

const { folder, newFile } = dataFolder();
/** This process's user; for root, one without rights. */
const user = process.getuid?.() || 65_534;

describe("a data file", () => {
  it.each([
    ["in a missing folder", () => join(folder, "none", "data.sqlite")],
    ["at a path that cannot exist", () => "data\0.sqlite"],
  ])("cannot be opened %s", (_, path) => {
    expect(() => createSandbox({ data: path() })).toThrow(
      refusal("cannot_open_data", /cannot be opened: .*Use a file in a folder that exists/),
    );
  });

  it.each(["folder", "socket"])(
    "is refused, and left as it is, at the path of a %s",
    async (kind) => {
      const data = newFile();
      const server = createServer();
      if (kind === "folder") mkdirSync(data);
      else await once(server.listen(data), "listening");
      const { mode } = statSync(data);
      expect(() => createSandbox({ data })).toThrow(
        refusal("invalid_data", /is not a sandbox's data file\..* Nothing was changed/),
      );
      expect(statSync(data).mode).toBe(mode);
      server.close();
    },
  );

  it("may be larger than Node can read at once", () => {
    const data = newFile();
    createSandbox({ data }).close();
    truncateSync(data, 2 ** 31);
    createSandbox({ data }).close();
  });

  it("remains read-only", () => {
    const data = newFile();
    createSandbox({ data }).close();
    chmodSync(data, 0o400);
    // Root may write to every file, so its process becomes another user's, which owns this one.
    chownSync(data, user, user);
    const program = `
      import { createSandbox } from "${import.meta.resolve("../../../src/sandbox/index.ts")}";
      if (process.getuid() === 0) process.setuid(${user});
      try {
        createSandbox({ data: process.argv[1] });
      } catch (error) {
        console.log(JSON.stringify(error));
      }`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", program, data]);
    expect(JSON.parse(String(output))).toMatchObject(
      refusal("cannot_open_data", /cannot be opened: EACCES/),
    );
    expect(statSync(data).mode & 0o777).toBe(0o400);
  });
});
