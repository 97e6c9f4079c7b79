import { glob, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { WebhookFailureReason } from "../../src/webhooks/index.ts";

const root = resolve(import.meta.dirname, "../..");
const reasons: Record<WebhookFailureReason, true> = {
  missing_signature: true,
  missing_timestamp: true,
  malformed_signature: true,
  malformed_timestamp: true,
  signature_mismatch: true,
  timestamp_too_old: true,
  timestamp_too_new: true,
  body_already_parsed: true,
  body_too_large: true,
  invalid_json: true,
  invalid_event: true,
};

let guide: string;
beforeAll(async () => {
  guide = await readFile(join(root, "docs/webhooks.md"), "utf8");
});

describe("the guide to webhooks", () => {
  it("shows every example as it stands", async () => {
    let count = 0;
    for await (const example of glob("examples/webhooks/*.ts", { cwd: root })) {
      count++;
      const file = await readFile(join(root, example), "utf8");
      // What the linter is told is of no interest to readers.
      const code = file.replace(/^\s*\/\/ biome-ignore .*\n/gm, "");
      expect(guide).toContain(`](../${example})`);
      expect(guide).toContain(`\n\`\`\`ts\n${code}\`\`\`\n`);
    }
    expect(count).toBeGreaterThan(10);
  });

  it("explains every reason of a refusal", () => {
    for (const reason of Object.keys(reasons)) expect(guide).toMatch(`\n| \`${reason}\` `);
  });

  it("has every section that it links to", () => {
    const anchors = [...guide.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\w\s-]/g, "")
        .replaceAll(" ", "-"),
    );
    const links = [...guide.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect(anchors).toContain(link);
  });
});
