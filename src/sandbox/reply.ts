/** What becomes of a request. */
export type Reply = Answered | BrokenOff | Unanswered;

interface Answered {
  readonly kind: "answered";
  readonly response: Response;
}

/** Half of the answer's body arrives, then the connection is reset, or ends as if that were all. */
export interface BrokenOff {
  readonly kind: "broken off";
  readonly response: Response;
  readonly by: "reset" | "end";
}

/** The connection is reset instead of an answer. */
interface Unanswered {
  readonly kind: "unanswered";
  readonly response?: undefined;
}

/** A body in two: what is still sent of it, and how long the whole would be. */
export async function firstHalf({ response }: BrokenOff): Promise<{
  readonly half: Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
}> {
  const whole = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.set("Content-Length", String(whole.length));
  return { half: whole.subarray(0, whole.length >> 1), headers };
}

/** The reply as fetch would give it, had the request gone over the network. */
export async function asFetched(reply: Reply): Promise<Response> {
  switch (reply.kind) {
    case "answered":
      return reply.response;
    case "broken off": {
      const { half, headers } = await firstHalf(reply);
      const { status } = reply.response;
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
