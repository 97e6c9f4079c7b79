/** What a receiver answered. Credentials in it read `[redacted]`. */
export interface WebhookAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its first 2,000 characters, or what came of it within a second. */
  readonly body: string;
}

/** How long the service waits for an answer, as published. */
export const usualTimeoutMs = 30_000;

/** How long the body may take then: the status says everything. */
export const usualBodyTimeoutMs = 1_000;

export const maxBodyCharacters = 2_000;

export function tooLate(timeoutMs: number): Error {
  return new Error(`no answer within ${timeoutMs / 1000} seconds`);
}
