import { SettlekitError } from "../../errors.ts";
import { errorEvidence, evidenceHeader } from "./evidence.ts";
import { envelopeOf, Refusal, type RefusalFacts } from "./refusal.ts";

/** An answer of the service, before it takes the form that its door gives it. */
export interface PlainAnswer {
  readonly status: number;
  /** Altered on its way by what adds to every answer. */
  readonly headers: Record<string, string>;
  readonly body: PlainBody;
}

interface PlainBody {
  /** Empty for an answer without a body. */
  readonly text: string;
  /** What the text is the JSON of. Never altered, and shared with whatever it was taken from. */
  readonly value?: unknown;
}

/** A value as JSON. */
export function plainJson(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): PlainAnswer {
  return {
    status,
    headers: { "Content-Type": "application/json", ...headers },
    body: jsonOf(value),
  };
}

/** The text is only made when it is asked for, and once. */
function jsonOf(value: unknown): PlainBody {
  let text: string | undefined;
  return {
    value,
    get text() {
      text ??= JSON.stringify(value);
      return text;
    },
  };
}

/** What is answered when something was thrown: the documented envelope. */
export function plainError(error: unknown): PlainAnswer {
  if (error instanceof Refusal) return plainRefusal(error.facts);
  const reason = error instanceof Error ? error.message : String(error);
  const message = SettlekitError.is(error)
    ? `The settlekit sandbox failed: ${reason}`
    : `The settlekit sandbox failed, which is a mistake in settlekit: ${reason}`;
  return plainRefusal({ status: 500, type: "api_error", code: "server_error", message });
}

/** These facts in the documented envelope. */
export function plainRefusal(facts: RefusalFacts): PlainAnswer {
  const { status, code, headers } = facts;
  return plainJson(status, envelopeOf(facts), {
    [evidenceHeader]: errorEvidence(status, code),
    ...headers,
  });
}

/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

export function hasBody({ status }: Pick<PlainAnswer, "status">): boolean {
  return !bodiless.has(status);
}
