import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** In memory where there is room: no test cuts the power, and disks are slow. */
export const fastFolder = hasRoom("/dev/shm") ? "/dev/shm" : tmpdir();

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 2 ** 30;
}
