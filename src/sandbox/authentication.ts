import { credentialHeader, defaultHeaderPrefix } from "../wire/headers.ts";
import type { Credential, Operation } from "../wire/operations.ts";
import { invalidRequest, notFound, Refusal } from "./refusal.ts";

/** What a sandbox's merchant and customers identify themselves with. */
export interface Credentials {
  readonly secretKey: string;
  readonly accessToken: string;
  readonly merchantId: string;
  /** `undefined` when there is no such payment. */
  readonly secretOf: (paymentId: string) => string | undefined;
}

/** The values of an operation's placeholders. */
type PathValues = Readonly<Record<string, string | undefined>>;

/** Lets a request pass, or throws the refusal it is to be answered with. */
export type Authenticate = (
  operation: Operation<unknown>,
  headers: Headers,
  path: PathValues,
) => void;

/** Interface section 5: each operation names the one credential that it is called with. */
export function createAuthenticate(credentials: Credentials): Authenticate {
  return ({ credential }, headers, path) => {
    const { name, scheme } = credentialHeader(credential, defaultHeaderPrefix);
    const given = headers.get(name);
    if (given === null) {
      throw unauthenticated(
        credential,
        `The header ${name} is missing. Send ${owner[credential]}.`,
      );
    }
    const expected = expectedCredential(credential, credentials, path);
    if (given !== scheme + expected) {
      throw unauthenticated(credential, `The value of ${name} is not ${owner[credential]}.`);
    }
    const { merchantId } = path;
    if (merchantId !== undefined && merchantId !== credentials.merchantId) throw otherMerchant();
  };
}

function expectedCredential(
  credential: Credential,
  { secretKey, accessToken, secretOf }: Credentials,
  { paymentId = "" }: PathValues,
): string {
  switch (credential) {
    case "secretKey":
      return secretKey;
    case "accessToken":
      return accessToken;
    case "paymentSecret": {
      const secret = secretOf(paymentId);
      if (secret === undefined) throw notFound("payment");
      return secret;
    }
  }
}

const owner: Readonly<Record<Credential, string>> = {
  secretKey: "this sandbox's secretKey",
  accessToken: "Bearer and this sandbox's accessToken",
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
      "The path names another merchant than the access token's. Use this sandbox's merchantId.",
  });
}
