import type { Webhooks } from "../../../src/webhooks/index.ts";
import type { Site } from "../sites.ts";

/** A framework that webhooks are received in. */
export interface Framework {
  readonly name: string;
  /** Receives webhooks at /webhooks as the guide says, beside other routes where there are any. */
  serve(webhooks: Webhooks): Promise<Site>;
  /** The same, with the mistake that something parses the body first. */
  serveAfterParser(webhooks: Webhooks): Promise<Site>;
  /** The line to change, as the log names it. */
  readonly cure: RegExp;
  /** Whether the platform reads every body to its end before anybody's code runs. */
  readonly buffers?: boolean;
}
