import { Hono } from "hono";
import { credentialHeader, defaultHeaderPrefix } from "../../wire/credential.ts";
import { createPayment, createWithdrawal, type Operation } from "../../wire/operations.ts";
import type { Sandbox } from "../sandbox.ts";
import { Refusal } from "../serving/refusal.ts";
import { refuseField } from "../serving/validation.ts";
import { jsonAnswer } from "../serving/web-response.ts";
import { controlBody } from "./control-body.ts";

/**
 * Plays a merchant's server, for those who have none at hand. What it sends are requests of the service like any
 * other: they are recorded, meet faults, and are refused for the same reasons.
 */
export function shopControls(sandbox: Sandbox): Hono {
  const routes = new Hono();
  routes.post("/payments", async ({ req }) => {
    const answer = await send(sandbox, createPayment, req.raw);
    if (!answer.ok) return answer;
    const { paymentId, paymentUrl } = (await answer.json()) as Record<string, unknown>;
    // Not the payment's secret: the page that paymentUrl opens has it.
    return jsonAnswer(answer.status, { paymentId, paymentUrl });
  });
  routes.post("/withdrawals", ({ req }) => send(sandbox, createWithdrawal, req.raw));
  return routes;
}

/** @returns The service's answer. */
async function send(
  { merchants, fetch }: Sandbox,
  { method, path, credential }: Operation<unknown>,
  request: Request,
): Promise<Response> {
  const { merchantId = merchants[0]?.merchantId, ...fields } = await controlBody(request);
  const merchant = merchants.find((it) => it.merchantId === merchantId);
  if (merchant === undefined) throw refuseField(422, "merchantId", "is that of no merchant here.");
  const { name } = credentialHeader(credential, defaultHeaderPrefix);
  const headers = { [name]: merchant.secretKey, "Content-Type": "application/json" };
  const body = JSON.stringify({ currency: "USD", ...fields });
  try {
    const answer = await fetch(new Request(new URL(path, request.url), { method, headers, body }));
    const text = await answer.text();
    const type = answer.headers.get("Content-Type") ?? "text/plain";
    return new Response(text, { status: answer.status, headers: { "Content-Type": type } });
  } catch {
    throw new Refusal({
      status: 502,
      type: "api_error",
      code: "no_answer",
      message: "A fault broke the connection. The timeline shows whether the request took effect.",
    });
  }
}
