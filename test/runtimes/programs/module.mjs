// For Node, Bun and Deno.
import * as settlekit from "settlekit";
import * as checkout from "settlekit/checkout";
import * as sandbox from "settlekit/sandbox";
import * as webhooks from "settlekit/webhooks";
import { runSuite } from "./suite.mjs";

const setting = JSON.parse((globalThis.Deno?.args ?? process.argv.slice(2))[0]);
const results = await runSuite({ settlekit, checkout, sandbox, webhooks }, setting);
process.stdout.write(JSON.stringify(results));
