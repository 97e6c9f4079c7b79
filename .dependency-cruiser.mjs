// Which part of src may import which. A folder may always import from itself; everything that is not listed is
// forbidden. Packages and `node` (the platform's modules) are listed like folders.
const allowed = {
  "errors.ts": [],
  "values.ts": ["errors.ts", "leven"],
  "schemas.ts": ["wire", "zod"],
  wire: ["errors.ts", "values.ts", "zod"],
  "runtime.ts": ["errors.ts", "values.ts"],
  http: [
    "errors.ts",
    "values.ts",
    "duration.ts",
    "runtime.ts",
    "wire",
    "ky",
    "p-limit",
    "zod",
    "@noble/hashes",
  ],
  evm: ["errors.ts", "values.ts", "@noble/hashes"],
  checkout: ["resources", "http", "wire", "evm", "errors.ts", "values.ts", "zod", "uqr", "react"],
  resources: ["http", "wire", "evm", "errors.ts", "values.ts", "runtime.ts", "zod"],
  webhooks: ["errors.ts", "values.ts", "runtime.ts"],
  "sqlite.ts": ["errors.ts", "node"],
  "duration.ts": ["errors.ts", "values.ts"],
  inbox: ["stores", "client.ts", "webhooks", "wire", "duration.ts", "errors.ts", "values.ts"],
  stores: ["errors.ts", "values.ts", "duration.ts", "runtime.ts", "sqlite.ts", "node"],
  payouts: ["client.ts", "resources", "stores", "evm", "wire", "errors.ts", "values.ts", "node"],
  sandbox: [
    "runtime.ts",
    "sqlite.ts",
    "duration.ts",
    "wire",
    "evm",
    "webhooks",
    "errors.ts",
    "values.ts",
    "api",
    "zod",
    "hono",
    "@hono/node-server",
    "esbuild",
    "p-limit",
    "tinyqueue",
    "node",
  ],
  // What runs in the sandbox's pages. It is built into an asset, and no module imports it.
  "sandbox/pages/browser": ["checkout", "idiomorph"],
  testing: ["sandbox", "duration.ts", "webhooks", "wire", "errors.ts", "values.ts", "msw"],
  opentelemetry: [
    "client.ts",
    "http",
    "webhooks",
    "inbox",
    "payouts",
    "stores",
    "errors.ts",
    "runtime.ts",
    "values.ts",
    "@opentelemetry/api",
  ],
  "options.ts": ["errors.ts", "values.ts", "wire", "http", "p-limit", "zod"],
  "client.ts": ["options.ts", "runtime.ts", "checkout", "resources", "http", "wire", "errors.ts"],
};

/** Where a part of src lies. */
const inSource = (part) => {
  if (part.endsWith(".ts")) return `^src/${part}$`;
  const inner = Object.keys(allowed).filter((other) => other.startsWith(`${part}/`));
  return `^src/${part}/${inner.map((other) => `(?!${other.slice(part.length + 1)}/)`).join("")}`;
};

const target = (name) => {
  if (name in allowed) return inSource(name);
  // A package that is not installed is still recognised by its bare name.
  if (name === "api") return "^api/openapi\\.json$";
  return name === "node" ? undefined : `(^|node_modules/)${name}(/|$)`;
};

const folderRules = Object.entries(allowed).map(([part, targets]) => ({
  name: `${part.replace(/\.ts$/, "").replaceAll("/", "-")}-imports`,
  comment: `src/${part} may import only from itself and: ${targets.join(", ") || "nothing"}.`,
  severity: "error",
  from: { path: inSource(part) },
  to: {
    pathNot: [inSource(part), ...targets.map(target).filter(Boolean)],
    ...(targets.includes("node") && { dependencyTypesNot: ["core"] }),
  },
}));

// Which part of the sandbox runs which; what lies further down may be run too. create-sandbox.ts puts them all
// together. Types are not counted.
const sandboxParts = {
  control: ["pages"],
  pages: ["service"],
  service: ["webhooks", "state"],
  webhooks: ["faults", "time"],
  faults: [],
  time: [],
  state: [],
};

const runBy = (part) => sandboxParts[part].flatMap((next) => [next, ...runBy(next)]);

const sandboxRules = Object.keys(sandboxParts).map((part) => {
  const runs = new Set([part, ...runBy(part)]);
  const others = Object.keys(sandboxParts).filter((other) => !runs.has(other));
  return {
    name: `sandbox-${part}-runs`,
    comment: `src/sandbox/${part} may run only: ${[...runs].join(", ")}.`,
    severity: "error",
    from: { path: `^src/sandbox/${part}/` },
    to: { path: `^src/sandbox/(${others.join("|")})/`, dependencyTypesNot: ["type-only"] },
  };
});

/** Packages that one place alone imports, and why. */
const confined = [
  ["ky", "http/send.ts", "One file sends requests."],
  [
    "zod(/index\\.|$)",
    "schemas.ts",
    "Elsewhere zod/mini is enough, which never builds code from text.",
  ],
  ["msw", "testing/msw/", "An optional peer must not be needed elsewhere."],
  ["@opentelemetry/api", "opentelemetry/", "An optional peer must not be needed elsewhere."],
  [
    "uqr",
    "checkout/(checkout-client|element/qr)\\.ts",
    "Servers do not carry the drawing of QR codes.",
  ],
  ["react(/|$)", "checkout/react.ts", "An optional peer must not be needed elsewhere."],
  [
    "esbuild",
    "sandbox/pages/browser-assets.ts",
    "Users do not have it: the build replaces this file.",
  ],
];

const confinedRules = confined.map(([name, place, comment]) => ({
  name: `${name.match(/\w+/)[0]}-in-one-place`,
  comment: `Only src/${place} imports it. ${comment}`,
  severity: "error",
  from: { path: "^src/", pathNot: `^src/${place}` },
  to: { path: name.includes("(") ? `(^|node_modules/)${name}` : target(name) },
}));

export default {
  forbidden: [
    ...sandboxRules,
    ...folderRules.map((rule) =>
      rule.name === "webhooks-imports"
        ? // wire's types cost nothing at run time, but its schemas would.
          { ...rule, to: { ...rule.to, dependencyTypesNot: ["type-only"] } }
        : rule,
    ),
    {
      name: "webhooks-types",
      comment: "src/webhooks may take types from wire, and from nowhere else.",
      severity: "error",
      from: { path: "^src/webhooks/" },
      to: {
        pathNot: ["^src/(webhooks/|errors\\.ts$|values\\.ts$|runtime\\.ts$|wire/)"],
        dependencyTypes: ["type-only"],
      },
    },
    ...confinedRules,
    {
      name: "qr-in-one-entry",
      comment: "Only the checkout entry draws QR codes: servers do not carry the drawing.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(checkout/index|sandbox/.*)\\.ts$" },
      to: { path: "^src/checkout/checkout-client\\.ts$" },
    },
    {
      // The command line may import anything, so it has no rule of its own above.
      name: "cli-on-top",
      comment: "Nothing imports the command line.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/cli/" },
      to: { path: "^src/cli/" },
    },
    {
      name: "no-cycles",
      comment: "Two files that need each other are one thing, or hide a third.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
  ],
  options: { tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" } },
};
