import { version } from "./version.ts";

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
