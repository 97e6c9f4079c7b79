/**
 * The benches of `docs/performance.md`, as one table. `inbox.ts` and `payouts.ts` run on their own.
 *
 * Run with `npm run build && npm run bench`; it takes about seven minutes. `--quick` runs only the benches that a busy
 * machine does not distort, in a few seconds. `--write` also replaces the table in `docs/performance.md`.
 */
import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, release, type } from "node:os";
import { bulkRows } from "./bulk.ts";
import { bundleRows } from "./bundles.ts";
import { callRows } from "./call.ts";
import { firstPaintRows } from "./first-paint.ts";
import { importRows } from "./import.ts";
import { instrumentedRows } from "./instrumented.ts";
import { listingRows } from "./listing.ts";
import { sandboxRows } from "./sandbox.ts";
import { printTable, type Row, tableOf } from "./table.ts";
import { validationRows } from "./validation.ts";
import { webhookRows } from "./webhooks.ts";

const quick = process.argv.includes("--quick");

const benches: Readonly<Record<string, () => Promise<Row[]>>> = quick
  ? {
      import: () => importRows({ quick }),
      bundles: () => bundleRows({ quick }),
      validation: () => validationRows({ quick }),
    }
  : {
      // First, because it measures the growth of the process.
      sandbox: sandboxRows,
      webhooks: webhookRows,
      call: callRows,
      instrumented: instrumentedRows,
      import: () => importRows({ quick }),
      bundles: () => bundleRows({ quick }),
      firstPaint: firstPaintRows,
      validation: () => validationRows({ quick }),
      listing: listingRows,
      bulk: bulkRows,
    };

const rows: Row[] = [];
for (const [name, bench] of Object.entries(benches)) {
  console.error(`${name} …`);
  rows.push(...(await bench()));
}
const [{ model = "unknown" } = {}] = cpus();
const machine = `Node ${process.versions.node}, ${type()} ${release()} ${arch()}, ${cpus().length} x ${model.trim()}`;
console.log(`${machine}\n`);
printTable(rows);

if (process.argv.includes("--write")) {
  const file = new URL("../docs/performance.md", import.meta.url);
  const page = await readFile(file, "utf8");
  const parts = /(?<=<!-- table -->\n)[\s\S]*(?=\n<!-- end of table -->)/;
  await writeFile(
    file,
    page.replace(parts, () => `\n${tableOf(rows)}\n\nMeasured on ${machine}.\n`),
  );
}
