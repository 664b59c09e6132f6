import { hash } from "node:crypto";
import { credentialRefused, decode, malformedCredential } from "./refusal.ts";

/** The browser's data about the ceremony (WebAuthn §5.8.1). */
export interface ClientData {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
  readonly isCrossOrigin: boolean;
  /** The origin of the outermost page, where a browser names it. */
  readonly topOrigin: string | undefined;
}

/** What a credential is made for: a registration (WebAuthn §7.1) or a login (WebAuthn §7.2). */
export type CeremonyType = "webauthn.create" | "webauthn.get";

/** Parses the client data of a ceremony of that type. Raises U2F_CREDENTIAL_MALFORMED. */
function parseClientData(bytes: Uint8Array, ceremony: CeremonyType): ClientData {
  const what = "response.clientDataJSON";
  // `UTF-8 decode` (WebAuthn §7.1 step 5) removes a byte order mark; the signature covers the bytes with it.
  const text = decode(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes), what);
  const data = readObject(
    decode((): unknown => JSON.parse(text), what),
    what,
  );
  const { type, challenge, origin, crossOrigin, topOrigin, tokenBinding } = data;
  if (typeof type !== "string" || typeof challenge !== "string" || typeof origin !== "string") {
    throw malformedCredential(`${what} lacks type, challenge or origin`);
  }
  if (type !== ceremony) throw malformedCredential(`${what} is not of the type ${ceremony}`);
  if (topOrigin !== undefined && typeof topOrigin !== "string") {
    throw malformedCredential(`${what} has a topOrigin that is not a text`);
  }
  if (!isTokenBinding(tokenBinding)) throw malformedCredential(`${what} has a tokenBinding of a wrong form`);
  const isCrossOrigin = crossOrigin !== undefined && crossOrigin !== false;
  return { type, challenge, origin, isCrossOrigin, topOrigin };
}

/** Returns the challenge (base64url) that a PublicKeyCredential in JSON answers. Raises U2F_CREDENTIAL_MALFORMED. */
export function challengeOf(credential: unknown, ceremony: CeremonyType): string {
  const response = readObject(readObject(credential, "the credential")["response"], "response");
  const bytes = readBytes(response["clientDataJSON"], "response.clientDataJSON");
  return parseClientData(bytes, ceremony).challenge;
}

/**
 * Refuses a page inside a page of another site, and every origin that is not allowed, including that of the outermost
 * page: WebAuthn §7.1 steps 9 to 11, §7.2 steps 12 to 14. Raises U2F_ORIGIN_INVALID.
 */
export function requireOrigins(clientData: ClientData, isOriginAllowed: (origin: string) => boolean): void {
  const { isCrossOrigin, origin, topOrigin = origin } = clientData;
  if (isCrossOrigin || ![origin, topOrigin].every((each) => isOriginAllowed(each))) {
    throw credentialRefused("U2F_ORIGIN_INVALID");
  }
}

/**
 * Returns the common parts of the PublicKeyCredentials of registrations and logins (WebAuthn §5.1), and the hash of the client
 * data, which is signed. Raises U2F_CREDENTIAL_MALFORMED.
 */
export function readCredential(credential: unknown, ceremony: CeremonyType) {
  const outer = readObject(credential, "the credential");
  const response = readObject(outer["response"], "response");
  if (outer["type"] !== "public-key") throw malformedCredential("type must be public-key");
  const credentialId = readBytes(outer["id"], "id");
  if (!Buffer.from(credentialId).equals(readBytes(outer["rawId"], "rawId"))) {
    throw malformedCredential("id and rawId differ");
  }
  const json = readBytes(response["clientDataJSON"], "response.clientDataJSON");
  const clientData = parseClientData(json, ceremony);
  return { credentialId, response, clientData, clientDataHash: hash("sha256", json, "buffer") };
}

/** Returns the fields of an object. Raises U2F_CREDENTIAL_MALFORMED, which names it as `what`. */
export function readObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformedCredential(`${what} is not an object`);
  }
  return value as Readonly<Record<string, unknown>>; // an object, and its values stay unknown
}

/** Returns the bytes of a text in base64url or base64, at least one. Raises U2F_CREDENTIAL_MALFORMED. */
export function readBytes(value: unknown, what: string): Uint8Array {
  if (typeof value !== "string" || value === "") throw malformedCredential(`${what} is absent`);
  const plain = value
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
  const bytes = Buffer.from(plain, "base64url");
  if (bytes.toString("base64url") !== plain) throw malformedCredential(`${what} is not base64url`);
  return new Uint8Array(bytes);
}

/**
 * WebAuthn level 2 §5.8.1, and `not-supported` of earlier drafts. Level 3 no longer has it, so its id is not checked.
 */
function isTokenBinding(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  const status = typeof value === "object" && "status" in value ? value.status : undefined;
  return status === "present" || status === "supported" || status === "not-supported";
}
