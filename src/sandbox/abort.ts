/**
 * Rejects with the signal's reason when that aborts, as fetch does. What was begun goes on, as it does
 * at a service whose client has gone.
 */
export async function unlessAborted<Result>(
  signal: AbortSignal,
  begin: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([begin(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
