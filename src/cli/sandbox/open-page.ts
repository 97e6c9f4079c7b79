import { spawn } from "node:child_process";

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  // The empty text stands for the window's title, which start would take the address for.
  win32: ["cmd", "/c", "start", ""],
};

/** Shows an address in the browser. Rejects where there is none to be found. */
export function openPage(url: string): Promise<void> {
  const [file, ...args] = openers[process.platform] ?? ["xdg-open"];
  return new Promise((resolve, reject) => {
    // On its own: the browser outlives this process, and must not write to its output.
    const opener = spawn(file, [...args, url], { stdio: "ignore", detached: true });
    opener.once("error", reject);
    opener.once("spawn", () => {
      opener.unref();
      resolve();
    });
  });
}
