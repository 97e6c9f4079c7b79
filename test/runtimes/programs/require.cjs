// CommonJS that requires ES modules.
const settlekit = require("settlekit");
const checkout = require("settlekit/checkout");
const sandbox = require("settlekit/sandbox");
const webhooks = require("settlekit/webhooks");

async function main() {
  const { runSuite } = await import("./suite.mjs");
  const setting = JSON.parse(process.argv[2]);
  const results = await runSuite({ settlekit, checkout, sandbox, webhooks }, setting);
  process.stdout.write(JSON.stringify(results));
}
main();
