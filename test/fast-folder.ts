import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** In memory if there is room: disks are slow, and no test data has to survive a power cut. */
export const fastFolder = hasRoom("/dev/shm") ? "/dev/shm" : tmpdir();

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 2 ** 30;
}
