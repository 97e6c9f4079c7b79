/**
 * Rejects with the signal's reason when that aborts, as fetch does. What was begun goes on, as it does
 * at a service whose client has gone; it is given a signal that says so.
 */
export async function unlessAborted<Result>(
  signal: AbortSignal,
  begin: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  // Who has everything can no longer leave.
  const gone = new AbortController();
  const leave = () => {
    gone.abort(signal.reason);
    reject(signal.reason);
  };
  signal.addEventListener("abort", leave);
  try {
    return await Promise.race([begin(gone.signal), aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
