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
  // A request has a signal of its own, so that the listener goes with it.
  signal.addEventListener("abort", () => reject(signal.reason));
  return Promise.race([begin(), aborted]);
}
