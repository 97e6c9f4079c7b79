import { credentialHeader, defaultHeaderPrefix } from "../../wire/credential.ts";
import type { Credential, Operation } from "../../wire/operation.ts";
import { invalidRequest, notFound, Refusal } from "./answers.ts";
import type { Merchant, Merchants } from "./merchants.ts";
import type { Payments } from "./payments.ts";

/** The values of a path's placeholders, decoded. */
export type PathValues = Readonly<Record<string, string | undefined>>;

interface AuthenticationOptions {
  readonly merchants: Merchants;
  readonly payments: Pick<Payments, "find" | "secretOf">;
}

/**
 * Gives the merchant that a request is about.
 *
 * @throws {Refusal} 401, 403 or 404.
 */
export type Authenticate = (
  operation: Operation<unknown>,
  headers: Headers,
  path: PathValues,
) => Merchant;

/** Interface section 5: each operation names the one credential that it is called with. */
export function createAuthenticate({ merchants, payments }: AuthenticationOptions): Authenticate {
  /** The merchant that a credential belongs to. */
  function holderOf(credential: Credential, given: string, { paymentId = "" }: PathValues) {
    switch (credential) {
      case "secretKey":
        return merchants.withSecretKey(given);
      case "accessToken":
        return merchants.withAccessToken(given);
      case "paymentSecret": {
        const payment = payments.find(paymentId);
        if (payment === undefined) throw notFound("payment");
        if (payments.secretOf(paymentId) !== given) return undefined;
        return merchants.find(payment.merchantId);
      }
    }
  }

  return ({ credential }, headers, path) => {
    const { name, scheme } = credentialHeader(credential, defaultHeaderPrefix);
    const given = headers.get(name);
    if (given === null) {
      throw unauthenticated(
        credential,
        `The header ${name} is missing. Send ${owner[credential]}.`,
      );
    }
    const merchant = holderOf(credential, withoutScheme(given, scheme), path);
    if (merchant === undefined) {
      throw unauthenticated(credential, `The value of ${name} is not ${owner[credential]}.`);
    }
    const { merchantId = merchant.merchantId } = path;
    if (merchantId !== merchant.merchantId) throw otherMerchant();
    return merchant;
  };
}

/** Without its scheme, a value is no credential. */
function withoutScheme(given: string, scheme: string): string {
  return given.startsWith(scheme) ? given.slice(scheme.length) : "";
}

const owner: Readonly<Record<Credential, string>> = {
  secretKey: "the secretKey of a merchant of this sandbox",
  accessToken: "Bearer and the accessToken of a merchant of this sandbox",
  paymentSecret: "the secret of this payment",
};

const codes: Readonly<Record<Credential, string>> = {
  secretKey: "invalid_api_key",
  accessToken: "invalid_access_token",
  paymentSecret: "invalid_payment_secret",
};

function unauthenticated(credential: Credential, message: string): Refusal {
  const type = "authentication_error";
  return new Refusal({ status: 401, type, code: codes[credential], message });
}

function otherMerchant(): Refusal {
  return invalidRequest(403, {
    code: "forbidden",
    message:
      "The path names another merchant than the access token's. Use the merchantId that goes with it.",
  });
}
