import { isRecord } from "../values.ts";
import { isLoopback } from "./base-url.ts";
import type { NetworkFailure } from "./policy.ts";

/** No connection was made, so nothing was sent. Bun has its own names. */
const unreachableCode =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;

/** These can also break an open connection, so they count only with the system call "connect". */
const unreachableWhenConnecting = /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/;

/** fetch blocks the port, as browsers do with 6000; or a proxy refused to connect, which undici reports as an abort. */
const unreachableMessage = /^(bad port|Proxy response \(\d+\) !== 200 when HTTP Tunneling)$/;

/** The service's certificate or protocol version was refused before the request was sent. */
const tlsCode =
  /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_UNSUPPORTED_PROTOCOL|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION|ERR_SSL_SSL\/TLS_ALERT_HANDSHAKE_FAILURE)/;

/** How each platform's fetch refuses an argument before it sends anything. */
const argumentMessage =
  /^(Request constructor|RequestInit): |^Failed to construct 'Request'| is not an accepted type\. Expected one of /;

/**
 * Reads from fetch's error how far the request got. In doubt, the failure counts as a broken connection, which may have
 * carried the request.
 *
 * @param service The service's URL. A custom fetch, or one that replaced the runtime's, may talk to other servers, even
 * after the service answered: an error that names another server proves nothing.
 * @param isCustom Whether the error must name the service.
 */
export function readNetworkError(error: unknown, service?: URL, isCustom = true): NetworkFailure {
  const causes = rootCauses(error);
  const [first] = causes;
  // OpenSSL's message is a line of its log, with a line break; its reason is for people.
  const detail = textOf(first?.reason) || textOf(first?.message).trim() || "no reason given";
  const code = textOf(first?.code) || "connection_failed";
  const failed = (kind: NetworkFailure["kind"], known = code) => ({ kind, code: known, detail });
  const isOther = service && !causes.every((cause) => isAbout(cause, service, isCustom));
  if (isOther || !first) return failed("connection");
  if (causes.every(isUnreachable)) return failed("unreachable");
  if (causes.every((cause) => tlsCode.test(textOf(cause.code)))) return failed("tls");
  // undici refused a dispatcher from another copy of undici before it sent anything.
  if (code === "UND_ERR_INVALID_ARG" && /^invalid on/.test(detail)) return failed("not_taken");
  const isArgument = argumentMessage.test(detail);
  return isArgument ? failed("not_taken", "invalid_argument") : failed("connection");
}

/** Codes with which Node refuses an argument: a programming error, not a network failure. */
const argumentCode = /^ERR_(INVALID|MISSING|OUT_OF|UNKNOWN|METHOD_NOT)/;

/** Whether an error, from the platform or custom code, carries a code that looks like a network error's. */
export function hasNetworkCode(error: unknown): boolean {
  const codes = rootCauses(error).map(({ code }) => textOf(code));
  return codes.some((code) => code !== "" && !argumentCode.test(code));
}

/** The fields that an error may have. `hostname` was looked up; a connection went to `address` and `port`. */
type Cause = Readonly<Record<string, unknown>>;

/** Whether an error names the service as what failed or, unless `isCustom`, no other server. Bun's names the URL. */
function isAbout({ hostname, address, port, path }: Cause, service: URL, isCustom: boolean) {
  const url = textOf(path);
  if (!isCustom) return !/^http/.test(url) || url.startsWith(`${service.origin}/`);
  const host = service.hostname.replace(/^\[|\]$/g, "");
  if (hostname !== undefined) return hostname === host;
  const isLocal = /(^|\.)localhost$/.test(host) && isLoopback(String(address));
  const servicePort = Number(service.port) || (service.protocol === "https:" ? 443 : 80);
  return (address === host || isLocal) && port === servicePort;
}

function isUnreachable({ code: given, syscall, message }: Cause): boolean {
  const code = textOf(given);
  return (
    unreachableCode.test(code) ||
    (syscall === "connect" && unreachableWhenConnecting.test(code)) ||
    unreachableMessage.test(textOf(message))
  );
}

/** The root causes: several if the platform tried several addresses. */
function rootCauses(error: unknown, depth = 8): Cause[] {
  if (!isRecord(error) || depth < 0) return [];
  const { cause, errors } = error;
  const deeper = [errors, cause].flat().flatMap((inner) => rootCauses(inner, depth - 1));
  return deeper.length > 0 ? deeper : [error];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
