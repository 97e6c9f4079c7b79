/** What an error answer says (interface section 7). */
export interface RefusalFacts {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The field at fault; left out where the error is about no field. */
  readonly param?: string;
  readonly type?: "invalid_request_error" | "authentication_error" | "api_error";
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by whatever finds that a request cannot be served; answered with the error envelope. */
export class Refusal extends Error {
  readonly facts: RefusalFacts;

  constructor(facts: RefusalFacts) {
    super(facts.message);
    this.name = "Refusal";
    this.facts = facts;
  }
}

/** A request that asks for something the service does not do. */
export function invalidRequest(
  status: 400 | 403 | 404 | 405 | 409 | 413 | 415 | 422,
  facts: Pick<RefusalFacts, "code" | "message" | "param" | "headers">,
): Refusal {
  return new Refusal({ ...facts, status, type: "invalid_request_error" });
}

/** There is nothing with the id in the path. */
export function notFound(kind: "payment" | "withdrawal"): Refusal {
  return invalidRequest(404, {
    code: "not_found",
    message: `There is no ${kind} with this id. It may belong to another merchant or environment.`,
  });
}

/** The documented envelope: `{ error: { type, message, code, param? } }`. */
export function envelopeOf(facts: RefusalFacts): { error: Record<string, string> } {
  const { type = "invalid_request_error", message, code, param } = facts;
  return { error: { type, message, code, ...(param === undefined ? {} : { param }) } };
}
