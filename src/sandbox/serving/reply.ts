import type { PlainAnswer } from "./plain-answer.ts";
import { responseOf } from "./web-response.ts";

/** What becomes of a request. */
export type Reply = Answered | BrokenOff | Unanswered;

interface Answered {
  readonly kind: "answered";
  readonly answer: PlainAnswer;
}

/** Half of the answer's body arrives, then the connection is reset, or ends as if that were all. */
interface BrokenOff {
  readonly kind: "broken off";
  readonly answer: PlainAnswer;
  readonly by: "reset" | "end";
}

/** The connection is reset instead of an answer. */
interface Unanswered {
  readonly kind: "unanswered";
  readonly answer?: undefined;
}

/** A body in two: what is still sent of it, and how long the whole would be. */
export function firstHalf({ answer }: BrokenOff): {
  readonly half: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
} {
  const whole = new TextEncoder().encode(answer.body.text);
  const headers = { ...answer.headers, "Content-Length": String(whole.length) };
  return { half: whole.subarray(0, whole.length >> 1), headers };
}

/** The reply to a method as fetch would give it, had the request gone over the network. */
export function asFetched(reply: Reply, method: string): Response {
  switch (reply.kind) {
    case "answered":
      return responseOf(reply.answer, method);
    case "broken off": {
      const { half, headers } = firstHalf(reply);
      const { status } = reply.answer;
      return new Response(breakingOff(half, reply.by), { status, headers });
    }
    case "unanswered":
      throw new TypeError("fetch failed", { cause: causes.reset() });
  }
}

function breakingOff(half: Uint8Array<ArrayBuffer>, by: BrokenOff["by"]): ReadableStream {
  return new ReadableStream({
    start: (controller) => controller.enqueue(half),
    // Only asked for more when the half was read.
    pull: (controller) => controller.error(new TypeError("terminated", { cause: causes[by]() })),
  });
}

/** What Node's own fetch gives as the causes. */
const causes = {
  reset: () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
  end: () => Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
};
