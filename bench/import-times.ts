import { spawnSync } from "node:child_process";
import { median } from "./medians.ts";

/** How long modules take to import, by name, in milliseconds. They take turns, each in a new process. */
export function importTimes(
  modules: Record<string, string>,
  { rounds }: { rounds: number },
): Record<string, number> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, url] of Object.entries(modules)) {
      const source = `
        const begin = performance.now();
        await import(${JSON.stringify(url)});
        console.log(performance.now() - begin);`;
      const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", source]);
      times[name] = [...(times[name] ?? []), Number(stdout)];
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
}
