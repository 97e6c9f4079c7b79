import { Hono } from "hono";
import type { Sandbox } from "../sandbox.ts";
import { invalidRequest } from "../serving/refusal.ts";
import { readBodyText } from "../serving/request-body.ts";
import { jsonAnswer } from "../serving/web-response.ts";
import type { SavedSandbox } from "../state/state.ts";
import type { Duration } from "../time/duration.ts";
import { doneAnswer } from "./control-answers.ts";
import { controlBody } from "./control-body.ts";

/** Moves the clock, and takes everything that the sandbox remembers out of it, into it, or away. */
export function stateControls(sandbox: Sandbox): Hono {
  const { clock } = sandbox;
  const routes = new Hono();

  routes.get("/clock", () => jsonAnswer(200, { now: clock.now() }));
  routes.post("/clock/advance", async ({ req }) => {
    const { duration } = await controlBody(req.raw);
    const happened = await clock.advance(duration as Duration);
    return jsonAnswer(200, { now: clock.now(), happened });
  });

  // It holds secrets, so that what only reads cannot have it: no link, no address bar, no history.
  routes.post("/save", async ({ req }) => {
    await controlBody(req.raw);
    return jsonAnswer(200, sandbox.save());
  });
  routes.post("/load", async ({ req }) => {
    sandbox.load(await savedSandbox(req.raw));
    return doneAnswer();
  });
  routes.post("/reset", async ({ req }) => {
    await controlBody(req.raw);
    sandbox.reset();
    return doneAnswer();
  });

  return routes;
}

/** A file holds more than any request of the service: some 10,000 payments with all that led to them. */
const maxSavedBytes = 128 * 1_048_576;

async function savedSandbox(request: Request): Promise<SavedSandbox> {
  const text = await readBodyText(request, maxSavedBytes);
  if (text === undefined) {
    throw invalidRequest(413, {
      code: "body_too_large",
      message: `The file is larger than ${maxSavedBytes} bytes. Load it in process, by sandbox.load.`,
    });
  }
  try {
    // The sandbox itself refuses what save did not give.
    return JSON.parse(text) as SavedSandbox;
  } catch {
    throw invalidRequest(400, { code: "invalid_request", message: "The file is not JSON." });
  }
}
