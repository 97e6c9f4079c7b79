/**
 * Loads a part of the element that the page can do without; undefined if that fails. Instead of rejecting, webpack's
 * `import` throws, for example where Trusted Types forbid its script tags.
 */
export async function load<Module>(module: () => Promise<Module>): Promise<Module | undefined> {
  try {
    return await module();
  } catch {
    return undefined;
  }
}
