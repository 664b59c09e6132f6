import type { Random } from "../../../kernel/base/random.ts";

/** What the answer of a provider is checked with. It can be written as JSON. */
export interface VisitSecrets {
  /** As the browser brings it back. */
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636 §4.1. */
  readonly codeVerifier: string;
  /** As they were when the browser was sent: an answer after a change is for another provider. */
  readonly issuer: string;
  readonly clientId: string;
}

/** Makes the secrets of a visit: 32 random bytes each. */
export function newVisitSecrets(
  random: Random,
  provider: Pick<VisitSecrets, "issuer" | "clientId">,
): VisitSecrets {
  const draw = () => Buffer.from(random.bytes(32)).toString("base64url");
  return { ...provider, state: draw(), nonce: draw(), codeVerifier: draw() };
}
