/** A request's headers, as a Web request has them: names in any case. */
export interface ReceivedHeaders extends Iterable<readonly [name: string, value: string]> {
  get(name: string): string | null;
}

/** A request of the service, by whichever door it came. */
export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: ReceivedHeaders;
  /** `undefined` when it was too large to be read. */
  readonly bodyText: string | undefined;
  /** Has something called when the client leaves before it has the whole answer. */
  readonly onGone: (listener: () => void) => void;
}
