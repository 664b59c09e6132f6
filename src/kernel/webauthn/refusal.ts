import { Problem } from "../base/problem.ts";
import type { Reason } from "../base/reason.ts";

/** The checks that a credential can fail, and the message for each. */
const messages = {
  U2F_CREDENTIAL_MALFORMED: "the credential does not have the form that a WebAuthn client makes",
  U2F_CHALLENGE_INVALID: "the credential was made for another registration; use the options of this one",
  U2F_ORIGIN_INVALID: "the credential was made on a page whose origin is not allowed",
  U2F_RP_ID_INVALID: "the credential was made for another relying party id",
  U2F_USER_PRESENCE_MISSING: "nobody touched the token; ask for user presence",
  U2F_USER_VERIFICATION_MISSING:
    "the authenticator did not verify its user; ask for user verification, such as a PIN or a fingerprint",
  U2F_ATTESTATION_INVALID: "the attestation of the credential is not acceptable",
  U2F_SIGNATURE_INVALID: "the signature of the attestation is wrong",
} as const satisfies Partial<Record<Reason, string>>;

/** Returns the problem of a bad credential. `description` says more, but only about the input. */
export function credentialRefused(
  reason: keyof typeof messages,
  more: { readonly description?: string; readonly cause?: unknown } = {},
): Problem {
  const message = messages[reason];
  return new Problem({
    kind: "invalid",
    reason,
    message,
    violations: [{ field: "public_key_credential", description: more.description ?? message }],
    cause: more.cause,
  });
}

/** Raises U2F_ATTESTATION_INVALID with the description unless the condition is met. */
export function requireAttested(isMet: boolean, description: string): asserts isMet {
  if (!isMet) throw credentialRefused("U2F_ATTESTATION_INVALID", { description });
}

/** Returns the problem of a credential that deviates from the specification. */
export function malformedCredential(description: string, cause?: unknown): Problem {
  return credentialRefused("U2F_CREDENTIAL_MALFORMED", { description, cause });
}

/** Returns the result of `read` for a part of the credential; any error means that the part is malformed. */
export function decode<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (cause) {
    throw malformedCredential(`${what} cannot be decoded`, cause);
  }
}
