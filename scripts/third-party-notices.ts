import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

type EsbuildPlugin = NonNullable<import("tsup").Options["esbuildPlugins"]>[number];

/** Collects the licences of all bundled packages into one file beside the bundle. */
export function thirdPartyNotices(outputFile: string): EsbuildPlugin {
  return {
    name: "third-party-notices",
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(async ({ metafile }) => {
        if (!metafile) return;
        const folders = new Set(
          Object.values(metafile.outputs)
            .flatMap(({ inputs }) => Object.keys(inputs))
            .map((input) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(input)?.[0])
            .filter((folder) => folder !== undefined),
        );
        const notices = await Promise.all([...folders].sort().map(notice));
        // tsup writes the bundle itself, after this.
        await mkdir(dirname(outputFile), { recursive: true });
        await writeFile(outputFile, notices.join(`\n${"-".repeat(80)}\n\n`));
      });
    },
  };
}

async function notice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  ) as Record<string, string>;
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} is bundled but brings no licence text.`);
  return `${name} ${version} (${license})\n\n${await readFile(join(folder, file), "utf8")}`;
}
