import { hash } from "node:crypto";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { interactionMs } from "../../../identity/logins/interactions/interaction.ts";
import { useAssertion } from "../../../identity/protocol-state/assertion-uses/repository.ts";

/** A code of this length has more than 128 random bits without its last two characters. */
const longCode = 24;

/**
 * Remembers a code that a browser has brought. Returns whether no browser has brought it before, to whatever provider. Otherwise a
 * provider that means harm could send the browser on to another one, with the challenge and the nonce of a login of its own; it would
 * be sent the code, and bring it to that login (RFC 9700 §4.4). All providers share a redirect URI, and many do not name themselves in
 * their answer. A login that has begun is over when a code is forgotten.
 */
export async function isBroughtFirst(tx: WriteTransaction, code: string, nowMs: number): Promise<boolean> {
  const name = JSON.stringify(["code of a provider", toCore(code)]);
  return await useAssertion(tx, {
    hash: hash("sha256", name, "base64url"),
    expirationMs: nowMs + interactionMs,
  });
}

/** Leaves out what a provider may pass over that decodes its codes from base64, so that a code has no second spelling. */
function toCore(code: string): string {
  const letters = code.replaceAll(/[^A-Za-z0-9]/g, "");
  return letters.length < longCode ? letters : letters.slice(0, -2);
}
