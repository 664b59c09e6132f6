import { Secret } from "../../../kernel/base/secret.ts";
import { decodePart, type Form } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import { type Assertion, parseAssertion } from "./assertion.ts";

/** How a client says who it is. */
export type ClientCredentials =
  | {
      readonly kind: "secret";
      readonly clientId: string;
      /** One secret, in each of the spellings in which it may have been sent. */
      readonly spellings: readonly Secret[];
    }
  /** A public client only names itself (RFC 6749 §2.1), also with a secret that is empty (§2.3.1). */
  | { readonly kind: "none"; readonly clientId: string }
  | { readonly kind: "assertion"; readonly clientId: string; readonly assertion: Assertion };

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/**
 * Reads the credentials of a client: `client_secret_basic`, `client_secret_post`, `private_key_jwt` or `none` (OpenID Connect Core §9).
 * Raises invalid_client if there are none that can be read, and invalid_request for more than one (RFC 6749 §2.3).
 */
export function readClientCredentials(authorization: string | undefined, form: Form): ClientCredentials {
  // A secret without a value counts as one that was not sent (RFC 6749 §3.2).
  const ways = [authorization, form.get("client_secret"), form.get("client_assertion")];
  if (ways.filter((way) => way !== undefined).length > 1)
    throw new OAuthError("invalid_request", "authenticate the client in one way only");
  const credentials = readOne(authorization, form);
  const clientId = form.get("client_id");
  // RFC 7521 §4.2: other parts of the request must name the same client.
  if (clientId !== undefined && clientId !== credentials.clientId)
    throw new OAuthError("invalid_request", "client_id is not the client that authenticates");
  return credentials;
}

function readOne(authorization: string | undefined, form: Form): ClientCredentials {
  if (authorization !== undefined) return readBasic(authorization);
  const secret = form.get("client_secret");
  if (secret !== undefined) {
    const clientId = form.get("client_id");
    if (clientId === undefined) throw new OAuthError("invalid_request", "the parameter client_id is missing");
    return { kind: "secret", clientId, spellings: [new Secret(secret)] };
  }
  const text = form.get("client_assertion");
  if (text === undefined) return readNone(form);
  if (form.get("client_assertion_type") !== assertionType)
    throw new OAuthError("invalid_request", `client_assertion_type must be ${assertionType}`);
  const assertion = parseAssertion(text);
  if ("fault" in assertion) throw new OAuthError("invalid_client", assertion.fault);
  return { kind: "assertion", clientId: assertion.subject, assertion };
}

function readNone(form: Form): ClientCredentials {
  const clientId = form.get("client_id");
  if (clientId === undefined) throw new OAuthError("invalid_client", "the client must authenticate");
  return { kind: "none", clientId };
}

/**
 * Reads id and secret, each of them encoded as in a form (RFC 6749 §2.3.1). Many clients send them as they are (RFC 7617 §2), so the
 * secret is read in both ways. Ids of ours are the same in both.
 */
function readBasic(authorization: string): ClientCredentials {
  const [, encoded = ""] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? [];
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0)
    throw new OAuthError("invalid_client", "the header authorization is not HTTP Basic with id and secret");
  const [id, raw] = [text.slice(0, colon), text.slice(colon + 1)];
  const clientId = decodeIfEncoded(id) ?? id;
  if (raw === "") return { kind: "none", clientId };
  const decoded = decodeIfEncoded(raw) ?? raw;
  const spellings = decoded === raw ? [raw] : [decoded, raw];
  return { kind: "secret", clientId, spellings: spellings.map((spelling) => new Secret(spelling)) };
}

/** Decodes a part of a form. Undefined for what is not encoded as one. */
function decodeIfEncoded(text: string): string | undefined {
  try {
    return decodePart(text);
  } catch {
    return undefined;
  }
}
