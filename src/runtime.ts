import { ConfigurationError } from "./errors.ts";
import { invalidOption, nodeModule } from "./values.ts";

/** The version in package.json; a test compares the two. */
export const version = "0.1.0";

/** The part of a node:diagnostics_channel channel that is used. */
export interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: object): void;
}

/** Any platform: those that imitate Node or a browser may have only some of these. */
type Runtime = Partial<Pick<typeof globalThis, "process" | "navigator" | "window" | "document">> & {
  readonly Bun?: { readonly version?: string };
  readonly Deno?: { readonly version?: { readonly deno?: string } };
};

/** The runtime, such as `node/24.21.0`; undefined in browsers. */
export function runtimeName(): string | undefined {
  const { process, Bun, Deno, navigator } = globalThis as Runtime;
  if (Bun?.version) return `bun/${Bun.version}`;
  if (Deno?.version?.deno) return `deno/${Deno.version.deno}`;
  if (navigator?.userAgent === "Cloudflare-Workers") return "cloudflare-workers";
  return process?.versions?.node && `node/${process.versions.node}`;
}

/** The same as `engines` in package.json. */
const [neededMajor, neededMinor] = [22, 12];

/** The message for a Node version that is too old (npm only warns); undefined if it is supported. */
export function unsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `settlekit needs Node ${neededMajor}.${neededMinor} or later, and this is Node ${version}. Update it: https://nodejs.org`;
}

/** Refuses a Node version that would fail later, in the middle of a call. */
export function requireSupportedNode(): void {
  const { process, Bun, Deno } = globalThis as Runtime;
  // Bun and Deno report the version of Node that they emulate.
  const version = Bun || Deno ? undefined : process?.versions?.node;
  const problem = version && unsupportedNode(version);
  if (problem) throw new ConfigurationError(problem, { code: "unsupported_platform" });
}

/** Refuses to run in a web page, where visitors can read the merchant's secret key. */
export function requireServer(): void {
  const { window, document } = globalThis as Runtime;
  if (window === undefined || document === undefined) return;
  throw invalidOption(
    "secretKey",
    "MerchantClient holds the merchant secret key, which visitors of this page could read. Use CheckoutClient of " +
      "settlekit/checkout here, and revoke the key if it was published. To test server code, use the test runner's " +
      "node environment, not jsdom.",
    "secret_key_in_browser",
  );
}

/** Refuses to serve requests in happy-dom, whose Request replaces the platform's and cannot be built from one. */
export function requireOwnRequest(): void {
  if (!("happyDOM" in globalThis)) return;
  throw new ConfigurationError(
    "A sandbox cannot listen in happy-dom, which replaces Request and Response. Use the test runner's node environment " +
      "for this file, or start the sandbox outside of it, such as in vitest's globalSetup.",
    { code: "unsupported_platform" },
  );
}

/**
 * A value that all copies of settlekit in the process share, whatever their versions. Bundlers such as Next.js's load
 * several, each with modules of its own. The name changes when the value's shape does.
 */
export function processWide<T extends object>(name: string, create: () => T): T {
  const key = Symbol.for(`settlekit.${name}`);
  const values = globalThis as { [key]?: T };
  values[key] ??= create();
  return values[key];
}

const withoutSubscribers: Channel = { hasSubscribers: false, publish() {} };

/** A node:diagnostics_channel channel; without subscribers on other platforms. */
export function channel(name: string): Channel {
  return nodeModule("node:diagnostics_channel")?.channel?.(name) ?? withoutSubscribers;
}
