import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { credentialHeader } from "../../src/wire/credential.ts";
import { readTolerantly } from "../../src/wire/fields.ts";
import type { Credential, Operation } from "../../src/wire/operation.ts";
import { createPayment, createWithdrawal } from "../../src/wire/operations.ts";
import type { CreatedPayment } from "../../src/wire/payment.ts";
import type { Withdrawal } from "../../src/wire/withdrawal.ts";
import { describeService } from "./description.ts";
import type { Payee, Target } from "./target.ts";

export interface Input {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** A payment's secret, for the customer's routes. */
  readonly secret?: string;
  /** `undefined` removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface Refused {
  readonly status: number;
  readonly headers: Headers;
  readonly error: {
    readonly type: string;
    readonly code: string;
    readonly message: string;
    readonly param?: string;
  };
}

const description = describeService({ formats: true });

/** Calls a server, and checks every answer against the OpenAPI document and the wire schemas. */
export class Service {
  readonly target: Target;

  constructor(target: Target) {
    this.target = target;
  }

  /** Sends a request that must succeed, and returns the answer's body. */
  async call<Response>(operation: Operation<Response>, input: Input = {}): Promise<Response> {
    return (await this.callWithHeaders(operation, input)).body;
  }

  async callWithHeaders<Response>(operation: Operation<Response>, input: Input = {}) {
    expect(description.requestProblems(operation, input)).toEqual([]);
    const { status, headers, body } = await this.#exchange(operation, input);
    expect({ status, body }).toEqual({
      status: operation.successStatus ?? 200,
      body: expect.anything(),
    });
    expect(readTolerantly(operation.response, body).drift).toEqual([]);
    expect(oddTimestamps(body)).toEqual([]);
    return { headers, body: body as Response };
  }

  /** Sends a request that must be refused, and returns the refusal. */
  async refused(operation: Operation<unknown>, input: Input = {}): Promise<Refused> {
    const { status, headers, body } = await this.#exchange(operation, input);
    expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
    const { error } = body as Pick<Refused, "error">;
    return { status, headers, error };
  }

  /** Creates a payment with a new order id. */
  createPayment(
    fields: Readonly<Record<string, unknown>> = {},
    headers: Input["headers"] = {},
  ): Promise<CreatedPayment> {
    return this.call(createPayment, { body: { ...newOrder(), ...fields }, headers });
  }

  createWithdrawal(
    { recipientAddress, chainId }: Payee,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<Withdrawal> {
    const orderId = newOrderId();
    const body = { amountInCents: 500, chainId, recipientAddress, orderId, ...fields };
    return this.call(createWithdrawal, { body });
  }

  async #exchange(operation: Operation<unknown>, input: Input) {
    const response = await this.target.fetch(this.#url(operation, input), {
      method: operation.method,
      headers: this.#headers(operation, input),
      ...(input.body !== undefined && { body: textOf(input.body) }),
    });
    const { status, headers } = response;
    const text = await response.text();
    expect(headers.get("Content-Type"), text).toMatch(/^application\/json\b/);
    expect(headers.get("Date")).toMatch(/ GMT$/);
    const body: unknown = JSON.parse(text);
    expect(description.answerProblems(operation, status, body), text).toEqual([]);
    return { status, headers, body };
  }

  #url({ path }: Operation<unknown>, { path: values = {}, query = {} }: Input): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(values[name] ?? this.target.dashboard?.merchantId ?? ""),
    );
    const entries = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const search = new URLSearchParams(entries).toString();
    return this.target.baseUrl + filled + (search && `?${search}`);
  }

  #headers({ credential }: Operation<unknown>, { body, secret, headers = {} }: Input) {
    const given = credential === "none" ? undefined : this.#credential(credential, secret);
    const header = credentialHeader(credential, this.target.headerPrefix ?? "X-Service");
    const all: Input["headers"] = {
      ...(header && given !== undefined && { [header.name]: header.scheme + given }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    };
    return Object.entries(all).flatMap(([header, value]): [string, string][] =>
      value === undefined ? [] : [[header, value]],
    );
  }

  #credential(credential: Credential, secret: string | undefined): string | undefined {
    if (credential === "paymentSecret") return secret;
    return credential === "secretKey" ? this.target.secretKey : this.target.dashboard?.accessToken;
  }
}

export function newOrderId(): string {
  return `contract_${randomUUID()}`;
}

/** A body that creates a payment. */
export function newOrder() {
  return { amount: 2500, currency: "USD", orderId: newOrderId() };
}

function textOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** The timestamps that lack the form of interface section 2: UTC, with milliseconds. */
function oddTimestamps(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    if (typeof field === "object") return oddTimestamps(field);
    if (!/(At|Timestamp)$/.test(name) || typeof field !== "string") return [];
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(field) ? [] : [{ [name]: field }];
  });
}
