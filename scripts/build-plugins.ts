import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { type GetModuleInfo, rollup } from "rollup";
import type { Options } from "tsup";
import { browserAssets } from "../src/sandbox/pages/browser-assets.ts";

// The plugins of tsup.config.ts.

/**
 * Merges the chunks of esbuild, which splits what entries share by every combination of them: `settlekit` loaded 28 files,
 * and each adds about half a millisecond to its import. What these groups of entries need has one chunk for each
 * combination of them instead.
 */
export function mergedChunks(
  groups: readonly (readonly string[])[],
): NonNullable<Options["plugins"]>[number] {
  return {
    name: "merged-chunks",
    async buildEnd({ writtenFiles }) {
      const { outDir, entry } = this.options;
      const fileOf = (name: string) => resolve(outDir, `${name}.js`);
      const input = Object.fromEntries(Object.keys(entry).map((name) => [name, fileOf(name)]));
      const bundle = await rollup({
        input,
        external: /^[^./]/,
        // Only entries have side effects.
        treeshake: { moduleSideEffects: false },
        plugins: [{ name: "source-maps", load: loadWithSourceMap }],
        onwarn({ code = "", message }) {
          const isExpected = /^(MODULE_LEVEL_DIRECTIVE|UNUSED_EXTERNAL_IMPORT)$/.test(code);
          if (!isExpected) throw new Error(message);
        },
      });
      let needs: Set<string>[] | undefined;
      const { output } = await bundle.generate({
        sourcemap: true,
        hoistTransitiveImports: false,
        minifyInternalExports: false,
        onlyExplicitManualChunks: true,
        manualChunks(id, { getModuleInfo }) {
          if (Object.values(input).includes(id)) return undefined;
          needs ??= groups.map((names) => modulesOf(names.map(fileOf), getModuleInfo));
          const needed = needs.map((modules) => (modules.has(id) ? "1" : "0")).join("");
          return needed.includes("1") ? needed : basename(id, ".js");
        },
        // Without esbuild's own hash.
        chunkFileNames: ({ isDynamicEntry, name }) =>
          isDynamicEntry ? `${name.replace(/-[A-Z0-9]{8}$/, "")}-[hash].js` : "chunk-[hash].js",
        banner: ({ name }) => (name === "checkout/react" ? '"use client";' : ""),
      });
      await Promise.all(writtenFiles.map(({ name }) => rm(name)));
      await Promise.all(
        output.map((file) =>
          write(join(outDir, file.fileName), file.type === "chunk" ? file.code : file.source),
        ),
      );
    },
  };
}

async function loadWithSourceMap(file: string) {
  const code = await readFile(file, "utf8");
  return { code, map: await readFile(`${file}.map`, "utf8") };
}

/** These modules and all that they import, directly or through others. */
function modulesOf(entries: readonly string[], getModuleInfo: GetModuleInfo): Set<string> {
  const modules = new Set(entries);
  // The set grows meanwhile.
  for (const id of modules)
    for (const imported of getModuleInfo(id)?.importedIds ?? []) modules.add(imported);
  return modules;
}

/**
 * Defers ky's feature tests from import to first use. In Node, naming `Request` or `FormData` loads all of fetch, which
 * would be half of settlekit's import time.
 */
export function lateFeatureTests(): Plugin {
  const features = ["supportsRequestStreams", "supportsFormData"];
  return {
    name: "late-feature-tests",
    setup(build) {
      build.onLoad(
        { filter: /ky[\\/]distribution[\\/]core[\\/](constants|Ky)\.js$/ },
        async ({ path }) => {
          let contents = await readFile(path, "utf8");
          for (const name of features) {
            const [text, late] = path.endsWith("constants.js")
              ? [`export const ${name} = `, `export const ${name} = () => `]
              : // Its uses, not its import.
                [new RegExp(`\\b${name}\\b(?!,)`, "g"), `(${name}.known ??= ${name}())`];
            const changed = contents.replace(text, late);
            if (changed === contents)
              throw new Error(`${path} no longer has ${name}. Adapt this plugin.`);
            contents = changed;
          }
          return { contents };
        },
      );
    },
  };
}

/**
 * Gives the bundled zod a registry of its own. zod's is a global variable, which every copy of zod in the process shares:
 * importing settlekit would set it for all of them, and no bundler could leave it out of a client, which registers
 * nothing.
 */
export function ownRegistry(): Plugin {
  return {
    name: "own-registry",
    setup(build) {
      build.onLoad({ filter: /zod[\\/]v4[\\/]core[\\/]registries\.js$/ }, async ({ path }) => {
        const contents = await readFile(path, "utf8");
        const [before, after] = contents.split("(_a = globalThis)");
        if (!after?.includes("export const globalRegistry = "))
          throw new Error(`${path} no longer has its global registry. Adapt this plugin.`);
        return { contents: `${before}export const globalRegistry = /* @__PURE__ */ registry();` };
      });
    },
  };
}

/** Replaces the module that builds the assets of the sandbox's pages with the built assets. */
export function pageAssets(plugins: Plugin[]): Plugin {
  return {
    name: "page-assets",
    setup(build) {
      build.onLoad({ filter: /sandbox[\\/]pages[\\/]browser-assets\.ts$/ }, async () => {
        const assets = JSON.stringify([...(await browserAssets(plugins))]);
        return { contents: `export const browserAssets = async () => new Map(${assets});` };
      });
    },
  };
}

/** The esbuild options for the checkout element as one self-contained script, with all languages and QR codes. */
export const globalElementBuild = {
  entryPoints: ["src/checkout/element/define.ts"],
  outfile: "dist/checkout/element.global.js",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2023",
  platform: "browser",
  legalComments: "none",
} as const satisfies BuildOptions;

/** Writes that script. */
export function globalElement(plugins: Plugin[]): Plugin {
  return {
    name: "global-element",
    setup(esbuild) {
      esbuild.onEnd(async () => {
        await build({ ...globalElementBuild, sourcemap: true, plugins });
      });
    },
  };
}

/**
 * Builds the schemas of `./schemas` with the user's copy of zod: that entry gets its own bundle of the wire's modules,
 * in which `zod` replaces `zod/mini`, whose functions it also has.
 */
export function usersZod(): Plugin {
  const namespace = "users-zod";
  const wire = resolve("src/wire");
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path, importer, resolveDir, namespace: from }) => {
        if (from !== namespace && importer !== resolve("src/schemas.ts")) return undefined;
        if (/^zod(\/mini)?$/.test(path)) return { path: "zod", external: true };
        const file = resolve(resolveDir, path);
        if (dirname(file) !== wire) return undefined;
        // esbuild writes this path into the output as it is: an absolute one would name this machine's folders.
        return { path: `src/wire/${basename(file)}`, namespace, sideEffects: false };
      });
      build.onLoad({ filter: /./, namespace }, async ({ path }) => ({
        contents: await readFile(path, "utf8"),
        loader: "ts",
        resolveDir: wire,
      }));
    },
  };
}

interface BundledPackage {
  readonly component: Models.Component;
  /** Its name, version and licence. */
  readonly head: string;
  /** The text of its licence files. */
  readonly licence: string;
}

const components = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
  new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
  // Only SPDX ids are expected; any other licence is listed by its name.
  new Contrib.License.Factories.LicenseFactory(() => {
    throw new Error("Not an SPDX id.");
  }),
);

/**
 * Lists the packages whose code is in the bundle: as a CycloneDX bill of materials, and as one text with all of
 * their licences. Builds that share the plugin share the lists.
 */
export function bundledPackages(files: { notices: string; sbom: string }): Plugin {
  const packages = new Map<string, BundledPackage>();
  return {
    name: "bundled-packages",
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(async ({ metafile }) => {
        for (const { inputs } of Object.values(metafile?.outputs ?? {})) {
          for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
            const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(input) ?? [];
            if (folder === undefined || bytesInOutput === 0 || packages.has(folder)) continue;
            packages.set(folder, await describePackage(folder));
          }
        }
        const sorted = [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, it]) => it);
        // Many packages have the same licence, word for word.
        const notices = Array.from(
          Map.groupBy(sorted, ({ licence }) => licence),
          ([licence, all]) => `${all.map(({ head }) => head).join("\n")}\n\n${licence}`,
        );
        await write(files.notices, notices.join(separator));
        await write(files.sbom, await billOfMaterials(sorted));
      });
    },
  };
}

const separator = `\n${"-".repeat(80)}\n\n`;

async function describePackage(folder: string): Promise<BundledPackage> {
  const component = await componentOf(folder);
  const { group, name, version, licenses } = component;
  const texts = licenceTexts(folder);
  if (texts.length === 0) throw new Error(`${folder} is bundled but has no licence file.`);
  const ids = [...licenses].map((it) => (it instanceof Models.SpdxLicense ? it.id : "see below"));
  const head = `${group ? `${group}/${name}` : name} ${version} (${ids.join(", ")})`;
  return { component, head, licence: texts.join("\n\n") };
}

async function componentOf(
  folder: string,
  type = Enums.ComponentType.Library,
): Promise<Models.Component> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const component = components.makeComponent(manifest, type);
  if (component === undefined) throw new Error(`${folder}/package.json has no name.`);
  const purl = `pkg:npm/${manifest.name.replace("@", "%40")}@${manifest.version}`;
  component.purl = purl;
  component.bomRef.value = purl;
  return component;
}

function licenceTexts(folder: string): string[] {
  const gatherer = new Contrib.License.Utils.LicenseEvidenceGatherer();
  return [...gatherer.getFileAttachments(resolve(folder))].map(({ text }) =>
    Buffer.from(String(text.content), text.encoding ?? "utf8").toString(),
  );
}

/** Without a serial number and a time, so that builds are reproducible. */
async function billOfMaterials(packages: readonly BundledPackage[]): Promise<string> {
  const root = await componentOf(".");
  const bom = new Models.Bom();
  bom.metadata.component = root;
  for (const { component } of packages) {
    bom.components.add(component);
    root.dependencies.add(component.bomRef);
  }
  const normalizers = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const serializer = new Serialize.JsonSerializer(normalizers);
  return `${serializer.serialize(bom, { sortLists: true })}\n`;
}

/** tsup writes the bundle itself, after this. */
async function write(file: string, text: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
