// Packs the package, lints the tarball and limits its size.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packInto } from "./pack.ts";

/** The command line and the checkout element with its languages are half of it. */
const limitBytes = 3_420_000;

const scratch = await mkdtemp(join(tmpdir(), "settlekit-tarball-"));
try {
  const { path, files } = await packInto(scratch);
  execFileSync("publint", [path, "--strict"], { stdio: "inherit" });
  execFileSync("attw", [path, "--profile", "esm-only", "--format", "table-flipped", "--no-color"], {
    stdio: "inherit",
  });

  // Only debuggers load source maps.
  const bytes = files
    .filter((file) => !file.path.endsWith(".map"))
    .reduce((sum, { size }) => sum + size, 0);
  console.log(`${bytes} bytes unpacked without source maps (limit ${limitBytes})`);
  if (bytes > limitBytes) process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true });
}
