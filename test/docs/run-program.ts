import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/index.ts";
import { fromSource } from "../examples/example.ts";
import { Run } from "../examples/run.ts";
import { scratchFolder } from "../examples/scratch-folder.ts";
import { freePort } from "../free-port.ts";
import { root } from "./code-block.ts";

/**
 * Runs a program as its reader would, as a file of its own. Unless it creates a sandbox, it finds one through the
 * `SETTLEKIT_...` variables. Disposing stops the program.
 */
export async function runProgram(code: string, options: SandboxOptions = {}) {
  const folder = await scratchFolder();
  const isCommonJs = code.includes("require(");
  const file = join(folder.path, isCommonJs ? "program.cts" : "program.ts");
  await writeFile(file, isCommonJs ? code : `${code}\nexport {};\n`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const sandbox = createSandbox({ webhookUrl: `${url}/webhooks`, ...options });
  const service = await sandbox.listen({ port: 0 });

  const program = spawn(process.execPath, ["--import", fromSource, file], {
    cwd: folder.path,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      // Compile what all programs import only once.
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/examples"),
      NODE_NO_WARNINGS: "1",
      PORT: String(port),
      ...(!code.includes("createSandbox") && {
        SETTLEKIT_ENVIRONMENT: "sandbox",
        SETTLEKIT_SANDBOX_URL: service.url,
        SETTLEKIT_SECRET_KEY: sandbox.secretKey,
        SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
      }),
    },
  });
  const run = new Run(program);

  return {
    run,
    sandbox,
    /** The sandbox's URL. */
    serviceUrl: service.url,
    /** The program's URL, if it is a server. */
    url,
    async [Symbol.asyncDispose]() {
      await run.stop();
      await service.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
