/** Which of the service's environments a client talks to; each has keys of its own. */
export type Environment = "production" | "testnet" | "sandbox";

/** Where a sandbox listens unless told otherwise. */
export const defaultSandboxPort = 4010;

/** Where clients look for a sandbox unless told otherwise. */
export const defaultSandboxUrl = `http://127.0.0.1:${defaultSandboxPort}`;
