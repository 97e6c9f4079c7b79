import {
  credentialHeader,
  defaultHeaderPrefix,
  defaultRequestIdHeader,
} from "../../wire/credential.ts";
import { getCheckoutPayment } from "../../wire/operations.ts";
import { evidenceHeader } from "./evidence.ts";
import type { PlainAnswer } from "./plain-answer.ts";

/** The only routes that a browser calls: their credential is a customer's (interface section 5). */
const [customerRoutes = ""] = getCheckoutPayment.path.split("{");
const { name: secretHeader } = credentialHeader(getCheckoutPayment.credential, defaultHeaderPrefix);

export function isCustomerScoped(pathname: string): boolean {
  return pathname.startsWith(customerRoutes);
}

const exposedHeaders = `Date, Retry-After, ${defaultRequestIdHeader}, ${evidenceHeader}`;

/** Lets any page read an answer, with the headers that it is to be understood by (assumed). */
export function allowAnyOrigin(headers: Record<string, string>): void {
  headers["Access-Control-Allow-Origin"] = "*";
  headers["Access-Control-Expose-Headers"] = exposedHeaders;
}

/** What a browser is told before it sends a request of another origin. */
export function preflightAnswer(): PlainAnswer {
  const headers = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": `${secretHeader}, Content-Type`,
    [evidenceHeader]: "assumed",
  };
  return { status: 204, headers, body: { text: "" } };
}
