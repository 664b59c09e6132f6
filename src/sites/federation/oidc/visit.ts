import { hash } from "node:crypto";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import type { Random } from "../../../kernel/base/random.ts";
import type { ProviderVisit } from "../../../identity/protocol-state/provider-visits/provider-visit.ts";

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

/** Hashes a state for storage. Plain SHA-256 is enough: it holds 256 random bits. */
export function hashState(state: string): string {
  return hash("sha256", state, "base64url");
}

/** Makes a visit with its secrets encrypted. */
export function sealVisit(
  keyring: Keyring,
  visit: Omit<ProviderVisit, "hash" | "content">,
  secrets: VisitSecrets,
): ProviderVisit {
  const text = Buffer.from(JSON.stringify(secrets));
  const stateHash = hashState(secrets.state);
  return { ...visit, hash: stateHash, content: keyring.encrypt("provider-visit", text, stateHash) };
}

/** Reads the secrets of a visit; undefined when the key that they were encrypted with is gone. */
export function openVisit(
  keyring: Keyring,
  { content, hash: context }: ProviderVisit,
): VisitSecrets | undefined {
  if (!keyring.keyIds.includes(content.keyId)) return undefined;
  return JSON.parse(
    Buffer.from(keyring.decrypt("provider-visit", content, context)).toString(),
  ) as VisitSecrets; // as it was sealed
}
