import { readForeignHash, toForeignText } from "./families.ts";
import { readKeycloak } from "./keycloak.ts";

/**
 * Writes a hash of another system in the form in which we store it; undefined for one of no kind that is known. It may be out of
 * bounds all the same. Argon2 and bcrypt keep their text but for what stands before it.
 */
export function toStoredSpelling(text: string): string | undefined {
  const bare = text
    .replace(/^\{CRYPT\}/i, "")
    .replace(/^(?:\{ARGON2\}|argon2(?=\$argon2)|bcrypt\$(?=\$2))/i, "");
  if (bare.startsWith("$argon2")) return bare.replace(/^(\$argon2[a-z]+\$)(?=m=)/, "$1v=16$");
  if (/^(?:\$wp|bcrypt_sha256\$)?\$2[aby]\$/.test(bare)) return bare;
  const hash = readKeycloak(bare) ?? readForeignHash(bare);
  if (hash === undefined) return undefined;
  return "argon2" in hash ? hash.argon2 : toForeignText(hash);
}
