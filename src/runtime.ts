/** The version in package.json: a test holds the two together. */
export const version = "0.1.0";

/**
 * Names settlekit and the runtime. Undefined in browsers: they send their own, and a header of ours
 * would only cost every request a preflight.
 */
export function userAgent(): string | undefined {
  const { process, Bun, Deno, navigator } = globalThis as {
    process?: { versions?: { node?: string } };
    Bun?: { version?: string };
    Deno?: { version?: { deno?: string } };
    navigator?: { userAgent?: string };
  };
  const runtime = (name: string) => `settlekit/${version} ${name}`;
  if (Bun?.version) return runtime(`bun/${Bun.version}`);
  if (Deno?.version?.deno) return runtime(`deno/${Deno.version.deno}`);
  if (navigator?.userAgent === "Cloudflare-Workers") return runtime("cloudflare-workers");
  if (process?.versions?.node) return runtime(`node/${process.versions.node}`);
  return undefined;
}

/** As `engines` in package.json has it. */
const needed = [22, 12] as const;

/**
 * What is to be said under a Node that lacks what settlekit is made of; npm only warns of it.
 *
 * @param version Such as `24.1.0`.
 */
export function unsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor, neededMinor] = needed;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `settlekit needs Node ${needed.join(".")} or later, and this is Node ${version}. Update it: https://nodejs.org`;
}
