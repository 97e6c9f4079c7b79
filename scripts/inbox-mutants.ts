// Takes away what the inbox's guarantees rest on, one part after the other, and runs the test that must notice.
// A mutant that no test kills ends this script with 1.

import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";

interface Mutant {
  /** What is taken away. */
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The file and the name of the test that must fail. */
  readonly test: readonly [file: string, name: string];
}

const mutants: readonly Mutant[] = [
  {
    name: "the fence",
    file: "src/inbox/settle.ts",
    from: "  if (finished.length === 0) throw new Fenced();",
    to: "",
    test: ["test/inbox/worker.test.ts", "whose lease ran out commits nothing, even when"],
  },
  {
    name: "the (subject, effect, state) row",
    file: "src/inbox/settle.ts",
    from: "  if (added.length === 0) return false;",
    to: "",
    test: ["test/inbox/inbox.test.ts", "run once for a paid payment"],
  },
  {
    name: "the lease",
    file: "src/inbox/claims.ts",
    from: "lease_until <= {now}",
    to: "1 = 1",
    test: ["test/inbox/model.test.ts", "double and lose no effect"],
  },
  {
    name: "the durable commit before the 200",
    file: "src/inbox/inbox.ts",
    from: "    const { kind, id } = await store.transaction(() => acceptDelivery(tenant, webhook), {",
    to: "    const { kind, id } = { kind: undefined, id: undefined }; void store.transaction(() => acceptDelivery(tenant, webhook), {",
    test: ["test/inbox/crashes.test.ts", "has accepted what it answered with 200"],
  },
  {
    name: "synchronous_commit",
    file: "src/stores/postgres.ts",
    from: "SET LOCAL synchronous_commit TO on",
    to: "SET LOCAL synchronous_commit TO off",
    test: ["test/stores/postgres.test.ts", "makes commits durable"],
  },
  {
    name: "the look at the signed status",
    file: "src/inbox/settle.ts",
    from: "if (fetchedRank(kind, fetched.status) >= signed_rank) return fetched;",
    to: "if (signed_rank >= 0) return fetched;",
    test: ["test/inbox/inbox.test.ts", "asked for again when a webhook was signed"],
  },
  {
    name: "the news that come while a subject is settled",
    file: "src/inbox/settle.ts",
    from: "SET seen = $3, status",
    to: "SET seen = news + 0 * $3, status",
    test: ["test/inbox/inbox.test.ts", "looked at again when news came"],
  },
];

let survivors = 0;
for (const { name, file, from, to, test } of mutants) {
  const path = resolve(import.meta.dirname, "..", file);
  const original = await readFile(path, "utf8");
  if (!original.includes(from)) throw new Error(`${file} does not have: ${from}`);
  try {
    await writeFile(
      path,
      original.replaceAll(from, () => to),
    );
    const { status, stdout } = spawnSync(
      "vitest",
      ["run", test[0], "-t", test[1], "--maxWorkers=1"],
      {
        encoding: "utf8",
      },
    );
    const isKilled = status !== 0 && /\d+ failed/.test(stdout);
    if (!isKilled) survivors++;
    console.log(`${isKilled ? "killed" : "SURVIVED"}  without ${name}: "${test[1]}"`);
  } finally {
    await writeFile(path, original);
  }
}
process.exitCode = survivors === 0 ? 0 : 1;
