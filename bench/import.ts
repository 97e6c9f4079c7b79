/**
 * The time an import takes, in a new process each time, compared with similar packages. Only the files are cached,
 * by the operating system.
 *
 * Run with `npm run build && node bench/import.ts`; `--quick` takes a few seconds. Fails when settlekit misses its
 * aim by more than chance: when the whole 95 % interval of the median is above it.
 */
import { spawnSync } from "node:child_process";
import { intervalOf, ratioOf, ratiosOf, spreadOf, type Turn, takeTurns } from "./measure.ts";
import { printTable, type Row, timeText } from "./table.ts";

const modules: Readonly<Record<string, string>> = {
  settlekit: import.meta.resolve("../dist/index.js"),
  "settlekit/webhooks": import.meta.resolve("../dist/webhooks.js"),
  "settlekit/checkout": import.meta.resolve("../dist/checkout.js"),
  stripe: import.meta.resolve("stripe"),
  openai: import.meta.resolve("openai"),
  standardwebhooks: import.meta.resolve("standardwebhooks"),
  svix: import.meta.resolve("svix"),
};

/** The comparisons, with the maximum ratio. */
const comparisons: readonly [ours: string, peer: string, aim?: number][] = [
  ["settlekit", "stripe", 0.4],
  ["settlekit", "openai"],
  ["settlekit/webhooks", "standardwebhooks"],
  ["settlekit/webhooks", "svix"],
  ["settlekit/checkout", "stripe"],
];

/** Imports a module in a new process, and returns the microseconds it took. */
function importing(url: string): Turn {
  const source = `
    const begin = performance.now();
    await import(${JSON.stringify(url)});
    console.log(1000 * (performance.now() - begin));`;
  return () => {
    const parameters = ["--input-type=module", "--eval", source];
    const { stdout, stderr, status } = spawnSync(process.execPath, parameters);
    if (status !== 0) throw new Error(`${url} could not be imported:\n${stderr}`);
    return Number(stdout);
  };
}

export async function importRows({ quick }: { quick: boolean }): Promise<Row[]> {
  const compared = comparisons.filter(([, , aim]) => !quick || aim !== undefined);
  const names = new Set(compared.flatMap(([ours, peer]) => [ours].concat(peer)));
  const cases = [...names].map((name) => [name, importing(modules[name] ?? name)]);
  const rounds = quick ? 25 : 51;
  const turns = await takeTurns(Object.fromEntries(cases), { rounds, warmUp: 3 });
  const time = (name: string) => timeText(spreadOf(turns[name] ?? []).median);
  return compared.map(([ours, peer, aim]) => {
    const ratio = ratioOf(turns, ours, peer);
    const { low } = intervalOf(ratiosOf(turns, ours, peer));
    return {
      what: `import ${ours}`,
      ours: time(ours),
      peer: `${peer} ${time(peer)}`,
      ratio,
      ...(aim !== undefined && { aim, isFailure: low > aim }),
    };
  });
}

if (import.meta.main) printTable(await importRows({ quick: process.argv.includes("--quick") }));
