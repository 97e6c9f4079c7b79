import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/index.ts";

const hook = new URL("./from-source.mjs", import.meta.url).href;

/** A port that nobody listened on a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/**
 * Runs a program as its reader would, as a file of its own. Unless it makes its own sandbox, it finds one in
 * the `SETTLEKIT_...` variables. Ends the program when it is disposed of.
 */
export async function runProgram(code: string, options: SandboxOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), "settlekit-docs-"));
  const file = join(folder, "program.ts");
  await writeFile(file, `${code}\nexport {};\n`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const sandbox = createSandbox({ webhookUrl: `${url}/webhooks`, ...options });
  const service = await sandbox.listen({ port: 0 });

  const program = spawn(process.execPath, ["--import", hook, file], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      // Compiles what all programs import once.
      NODE_COMPILE_CACHE: join(tmpdir(), "settlekit-docs-cache"),
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
  let output = "";
  const heard = new Set<() => void>();
  for (const stream of [program.stdout, program.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      for (const listener of heard) listener();
    });
  }
  const ended = once(program, "close").then(([code]) => Number(code));

  return {
    sandbox,
    /** Where the sandbox listens. */
    serviceUrl: service.url,
    /** Where the program listens, if it does. */
    url,
    ended,
    output: () => output,
    /** Resolves when the program has printed something that matches. */
    printed(pattern: RegExp): Promise<void> {
      return new Promise((resolve, reject) => {
        const look = () => pattern.test(output) && resolve();
        heard.add(look);
        ended.then(() => reject(new Error(`It ended without printing ${pattern}:\n${output}`)));
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      program.kill();
      await ended;
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
