// Which folder of src may import which. A folder may always import from itself; whatever is not
// listed here is forbidden. Type-only imports count, unless a rule says otherwise.
const allowed = {
  errors: [],
  wire: ["errors", "zod"],
  http: ["errors", "wire", "ky", "@noble/hashes"],
  evm: ["errors", "@noble/hashes"],
  resources: ["http", "wire", "evm", "errors"],
  checkout: ["resources", "http", "wire", "evm", "errors", "uqr"],
  webhooks: ["errors"],
  sandbox: ["wire", "evm", "webhooks", "errors", "hono", "@hono/node-server", "uqr", "node"],
  testing: ["sandbox", "webhooks", "wire"],
};

const location = (name) => {
  if (name === "node") return null;
  if (name in allowed) return `^src/${name}/`;
  return `node_modules/${name}/`;
};

const folderRules = Object.entries(allowed).map(([folder, targets]) => ({
  name: `${folder}-imports`,
  comment: `src/${folder} may import only: ${[folder, ...targets].join(", ")}.`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: {
    pathNot: [`^src/${folder}/`, ...targets.map(location).filter(Boolean)],
    ...(targets.includes("node") ? { dependencyTypesNot: ["core"] } : {}),
    ...(folder === "webhooks" ? { pathNot: ["^src/webhooks/", "^src/errors/"] } : {}),
  },
}));

export default {
  forbidden: folderRules,
  options: { tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" } },
};
