import { glob, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
let guide: string;
beforeAll(async () => {
  guide = await readFile(join(root, "docs/webhooks.md"), "utf8");
});

describe("the guide to webhooks", () => {
  it("shows every example as it stands", async () => {
    let count = 0;
    for await (const example of glob("examples/webhooks/*.ts", { cwd: root })) {
      count++;
      const code = await readFile(join(root, example), "utf8");
      expect(guide).toContain(`](../${example})`);
      expect(guide).toContain(`\n\`\`\`ts\n${code}\`\`\`\n`);
    }
    expect(count).toBeGreaterThan(10);
  });
});
