import { hash } from "node:crypto";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import type { ProviderVisit } from "../../../identity/protocol-state/provider-visits/provider-visit.ts";

/** Hashes a state for storage. Plain SHA-256 is enough: it holds 256 random bits. */
export function hashState(state: string): string {
  return hash("sha256", state, "base64url");
}

/** Makes a visit with its secrets encrypted. They can be written as JSON. */
export function sealVisit(
  keyring: Keyring,
  visit: Omit<ProviderVisit, "hash" | "content">,
  secrets: { readonly state: string },
): ProviderVisit {
  const text = Buffer.from(JSON.stringify(secrets));
  const stateHash = hashState(secrets.state);
  return { ...visit, hash: stateHash, content: keyring.encrypt("provider-visit", text, stateHash) };
}

/** Reads the secrets of a visit, as its kind of provider has sealed them; undefined when the key that they were encrypted with is gone. */
export function openVisit<Secrets extends { readonly state: string }>(
  keyring: Keyring,
  { content, hash: context }: ProviderVisit,
): Secrets | undefined {
  if (!keyring.keyIds.includes(content.keyId)) return undefined;
  return JSON.parse(Buffer.from(keyring.decrypt("provider-visit", content, context)).toString()) as Secrets; // as it was sealed
}
