import { ConfigurationError } from "./errors.ts";

/** The version in package.json: a test holds the two together. */
export const version = "0.1.0";

/** The part of a channel of node:diagnostics_channel that is used. */
export interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: object): void;
}

/** Any platform: those that imitate Node or a browser may have a part of this. */
type Runtime = Partial<Pick<typeof globalThis, "process" | "navigator" | "window" | "document">> & {
  readonly Bun?: { readonly version?: string };
  readonly Deno?: { readonly version?: { readonly deno?: string } };
};

/**
 * Names settlekit and the runtime. Undefined in browsers: they send their own, and a header of ours
 * would only cost every request a preflight.
 */
export function userAgent(): string | undefined {
  const { process, Bun, Deno, navigator } = globalThis as Runtime;
  const runtime = (name: string) => `settlekit/${version} ${name}`;
  if (Bun?.version) return runtime(`bun/${Bun.version}`);
  if (Deno?.version?.deno) return runtime(`deno/${Deno.version.deno}`);
  if (navigator?.userAgent === "Cloudflare-Workers") return runtime("cloudflare-workers");
  if (process?.versions?.node) return runtime(`node/${process.versions.node}`);
  return undefined;
}

/** Whether this is Deno. */
export function isDeno(): boolean {
  return Boolean((globalThis as Runtime).Deno?.version?.deno);
}

/** As `engines` in package.json has it. */
const [neededMajor, neededMinor] = [22, 12];

/** The message for a version of Node that is too old, which npm only warns about. Undefined if it is not. */
export function unsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `settlekit needs Node ${neededMajor}.${neededMinor} or later, and this is Node ${version}. Update it: https://nodejs.org`;
}

/** Refuses a Node that would fail later, in the middle of a call. */
export function requireSupportedNode(): void {
  const { process, Bun, Deno } = globalThis as Runtime;
  // These two name a Node that they resemble.
  const version = Bun || Deno ? undefined : process?.versions?.node;
  const problem = version && unsupportedNode(version);
  if (problem) throw new ConfigurationError(problem, { code: "unsupported_platform" });
}

/** Refuses to hold a merchant's secret key in a page, where visitors can read it. */
export function requireServer(): void {
  const { window, document } = globalThis as Runtime;
  if (window === undefined || document === undefined) return;
  throw new ConfigurationError(
    "MerchantClient holds the merchant secret key, and this is a page, whose visitors can read it. Use " +
      "CheckoutClient of settlekit/checkout here, and revoke the key if it was published.",
    { code: "secret_key_in_browser", param: "secretKey" },
  );
}

const withoutSubscribers: Channel = { hasSubscribers: false, publish() {} };

/** A channel of node:diagnostics_channel. Not an import, so that bundles for browsers hold none. */
export function channel(name: string): Channel {
  const { process } = globalThis as Runtime;
  const diagnostics = process?.getBuiltinModule?.("node:diagnostics_channel");
  return diagnostics?.channel?.(name) ?? withoutSubscribers;
}
