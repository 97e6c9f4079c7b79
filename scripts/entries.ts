/** Every entry of the package with its source. The build, the tests and the checks read this list. */
export const entries = {
  ".": "src/index.ts",
  "./schemas": "src/schemas.ts",
  "./webhooks": "src/webhooks/index.ts",
  "./webhooks/fastify": "src/webhooks/fastify/index.ts",
  "./checkout": "src/checkout/index.ts",
  "./inbox": "src/inbox/index.ts",
  "./payouts": "src/payouts/index.ts",
  "./sqlite": "src/stores/sqlite.ts",
  "./postgres": "src/stores/postgres.ts",
  "./checkout/element": "src/checkout/element/index.ts",
  "./checkout/element/define": "src/checkout/element/define.ts",
  "./checkout/react": "src/checkout/react.ts",
  "./sandbox": "src/sandbox/index.ts",
  "./opentelemetry": "src/opentelemetry/index.ts",
  "./testing": "src/testing/index.ts",
  "./testing/msw": "src/testing/msw/index.ts",
} as const;

export type Entry = keyof typeof entries;

/** Where the build puts an entry, below dist and without a suffix: "./testing/msw" is `testing/msw`. */
export function outputName(entry: string): string {
  return entry === "." ? "index" : entry.slice(2);
}
