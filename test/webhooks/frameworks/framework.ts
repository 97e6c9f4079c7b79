import type { Webhooks } from "../../../src/webhooks/index.ts";
import type { Site } from "../sites.ts";

/** A framework that receives webhooks. */
export interface Framework {
  readonly name: string;
  /** Receives webhooks at /webhooks as the guide says, beside other routes if there are any. */
  serve(webhooks: Webhooks): Promise<Site>;
  /** The same, but with a parser mounted before it by mistake. */
  serveAfterParser(webhooks: Webhooks): Promise<Site>;
  /** The line to change, as the log names it. */
  readonly cure: RegExp;
  /** Whether the platform reads every body to its end before it calls any code. */
  readonly buffers?: boolean;
}
