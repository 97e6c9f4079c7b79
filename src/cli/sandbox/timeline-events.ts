import type { Sandbox, TimelineEntry } from "../../sandbox/index.ts";

/** What happened in the sandbox; or that what happened before is forgotten. */
export type TimelineEvent = TimelineEntry | { readonly type: "reset" };

/** Whether it is a request that has yet to end. */
export function isOpenRequest(event: TimelineEvent): boolean {
  return event.type === "request" && event.outcome === "open";
}

/** Any origin will do. */
const eventsUrl = "http://127.0.0.1/_sandbox/events";

/**
 * Tells of everything that happens in the sandbox from when the promise resolves. A request is told of
 * when it begins and when it has ended; once more when its connection breaks after that, within the answer.
 */
export async function watchTimeline(
  fetch: Sandbox["fetch"],
  emit: (event: TimelineEvent) => void,
): Promise<void> {
  const { body } = await fetch(new Request(eventsUrl));
  if (body === null) throw new Error("The sandbox told of no events.");
  void tellAll(body, emit)
    // A burst that is too long to be kept for the reader ends the stream; `sequence` shows the gap.
    .then(() => watchTimeline(fetch, emit));
}

async function tellAll(
  body: ReadableStream<Uint8Array>,
  emit: (event: TimelineEvent) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    const messages = (text + decoder.decode(chunk, { stream: true })).split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const event = eventOf(message);
      if (event) emit(event);
    }
  }
}

/** What one server-sent event tells, if anything. */
function eventOf(message: string): TimelineEvent | undefined {
  const [, name, data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(message) ?? [];
  if (name === "reset") return { type: "reset" };
  if (name !== "entry") return undefined;
  return JSON.parse(data) as TimelineEntry;
}
