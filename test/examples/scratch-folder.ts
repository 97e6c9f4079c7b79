import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that disposing deletes. */
export async function scratchFolder() {
  const path = await mkdtemp(join(tmpdir(), "settlekit-example-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
