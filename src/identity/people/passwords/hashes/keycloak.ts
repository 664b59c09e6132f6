import type { ForeignHash } from "./hash-family.ts";
import { toPbkdf2 } from "./pbkdf2.ts";

/** A hash of Keycloak is one of PBKDF2, or the text of one of argon2. */
export type KeycloakHash = ForeignHash | { readonly argon2: string };

/**
 * Reads a credential of a user as an export of a realm has it: an object whose `secretData` and `credentialData` are objects, written as JSON
 * once more. Undefined for any other text.
 */
export function readKeycloak(text: string): KeycloakHash | undefined {
  if (!text.startsWith("{")) return undefined;
  const credential = parseObject(text);
  const secret = parseObject(credential?.["secretData"]);
  const data = parseObject(credential?.["credentialData"]);
  const { hashIterations, algorithm } = data ?? {};
  const parts = { salt: bytesOf(secret?.["salt"]), digest: bytesOf(secret?.["value"]) };
  if (typeof hashIterations !== "number" || typeof algorithm !== "string") return undefined;
  if (parts.salt === undefined || parts.digest === undefined) return undefined;
  const { salt, digest } = parts;
  if (algorithm === "argon2")
    return readArgon2(hashIterations, data?.["additionalParameters"], { salt, digest });
  const [, suffix = "sha1"] = /^pbkdf2(?:-(sha256|sha512))?$/.exec(algorithm) ?? [undefined, ""];
  return toPbkdf2(suffix, hashIterations, { salt, digest });
}

function readArgon2(
  passes: number,
  additional: unknown,
  { salt, digest }: { readonly salt: Buffer; readonly digest: Buffer },
): KeycloakHash | undefined {
  const parameters = parseObject(additional);
  const first = (name: string) => {
    const values = parameters?.[name];
    return Array.isArray(values) ? String(values[0]) : "";
  };
  const version = { "1.0": "16", "1.3": "19" }[first("version")];
  const base64 = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  return {
    argon2: `$argon2${first("type")}$v=${version ?? ""}$m=${first("memory")},t=${passes},p=${first("parallelism")}$${base64(salt)}$${base64(digest)}`,
  };
}

/** Reads an object, or one that is written as JSON. */
function parseObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "string")
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return undefined;
  return Buffer.from(value, "base64");
}
