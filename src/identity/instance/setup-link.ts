import { createHash } from "node:crypto";
import type { Keyring } from "../../kernel/base/keyring.ts";
import type { Random } from "../../kernel/base/random.ts";
import { Secret } from "../../kernel/base/secret.ts";
import type { UsedSetupLink } from "./repository.ts";

/** How long a link for the first administrator can be used. */
export const setupLinkLifetimeMs = 24 * 60 * 60_000;

const randomBytes = 16;
const expiryBytes = 6; // milliseconds since 1970
const macBytes = 32;

/**
 * Makes a link to the page on which the first administrator signs up. Needs nothing but the master key: everything that the
 * service has to know is in the code, as 16 random bytes, the expiry and an HMAC of both, in base64url.
 */
export function makeSetupLink(setup: {
  readonly issuer: string;
  readonly keyring: Pick<Keyring, "mac">;
  readonly random: Random;
  readonly nowMs: number;
}): Secret {
  const expiry = Buffer.alloc(expiryBytes);
  expiry.writeUIntBE(setup.nowMs + setupLinkLifetimeMs, 0, expiryBytes);
  const content = Buffer.concat([setup.random.bytes(randomBytes), expiry]);
  const mac = setup.keyring.mac("setup-link", content.toString("base64url"));
  const code = Buffer.concat([content, mac.value]).toString("base64url");
  return new Secret(`${setup.issuer}/login/setup/${code}`);
}

/**
 * Reads the code of a link, and returns what is stored once it is used. Undefined if it was not made with one of our master
 * keys, or has expired. Any of the keys will do, because the command that makes links does not know which one encrypts.
 */
export function readSetupCode(
  code: string,
  { keyring, nowMs }: { readonly keyring: Pick<Keyring, "keyIds" | "isMacOf">; readonly nowMs: number },
): UsedSetupLink | undefined {
  const bytes = Buffer.from(code, "base64url");
  if (bytes.length !== randomBytes + expiryBytes + macBytes || bytes.toString("base64url") !== code)
    return undefined;
  const content = bytes.subarray(0, randomBytes + expiryBytes);
  const value = new Uint8Array(bytes.subarray(content.length));
  const text = content.toString("base64url");
  if (!keyring.keyIds.some((keyId) => keyring.isMacOf("setup-link", { keyId, value }, text)))
    return undefined;
  const expirationMs = content.readUIntBE(randomBytes, expiryBytes);
  if (expirationMs <= nowMs) return undefined;
  const hash = createHash("sha256").update(content.subarray(0, randomBytes)).digest("base64url");
  return { hash, expirationMs };
}
