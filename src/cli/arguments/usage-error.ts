/** The command line cannot be understood, or asks for what cannot be. The message says what can. */
export class UsageError extends Error {}
