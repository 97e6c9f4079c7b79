/** As `engines` in package.json has it. */
const needed = [22, 12] as const;

/**
 * What is to be said under a Node that lacks what settlekit is made of; npm only warns of it.
 *
 * @param version Such as `24.1.0`.
 */
export function unsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor, neededMinor] = needed;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `settlekit needs Node ${needed.join(".")} or later, and this is Node ${version}. Update it: https://nodejs.org`;
}
