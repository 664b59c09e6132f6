import { hash, hkdfSync } from "node:crypto";
import { decryptWith, encryptWith, type Keyring } from "../../../kernel/base/keyring.ts";
import type { Random } from "../../../kernel/base/random.ts";
import type { KeptAnswer } from "../../../identity/hooks/calls/ask-hooks.ts";
import { equalBytes, Secret } from "../../../kernel/base/secret.ts";

/** How long a code can be redeemed (RFC 6749 §4.1.2 recommends ten minutes at most). */
export const codeLifetimeMs = 60_000;

const dayMs = 86_400_000;
/** A refresh token that is not used for so long ends. */
export const refreshIdleMs = 14 * dayMs;
/** After this time the user has to log in again, however often tokens were refreshed. */
export const refreshLifetimeMs = 90 * dayMs;
/** A client that did not get the answer to a refresh may repeat it for so long. */
export const repeatWindowMs = 30_000;

const refreshPrefix = "gatehouse_rt_";
const refreshPattern = /^gatehouse_rt_[A-Za-z0-9_-]{43}$/;

/** Makes a code with 256 random bits. */
export function newAuthorizationCode(random: Random): Secret {
  return new Secret(Buffer.from(random.bytes(32)).toString("base64url"));
}

/** Makes the first refresh token of an authorization, with 256 random bits. */
export function newRefreshToken(random: Random): Secret {
  return toRefreshToken(random.bytes(32));
}

/**
 * Makes the refresh token that follows one that is used. It comes from the used one by a key of ours, so that a repeated request
 * gets the same one although it is not stored. `keyId`: the key that made it before; default: the one that seals now.
 */
export function toSuccessor(
  keyring: Keyring,
  refreshToken: string,
  keyId?: string,
): { readonly token: Secret; readonly keyId: string } {
  const sealed = keyring.mac("refresh-token", refreshToken, keyId);
  return { token: toRefreshToken(sealed.value), keyId: sealed.keyId };
}

/** Says by its form alone whether a text is a refresh token. */
export function isRefreshToken(text: string): boolean {
  return refreshPattern.test(text);
}

/** Hashes a code or a refresh token for storage. Plain SHA-256 is enough: both hold random bits. */
export function hashCode(text: string): string {
  return hash("sha256", text, "base64url");
}

/**
 * Encrypts the nonce of a request under the code that is issued for it. Only the application has the code, so that nobody learns
 * the nonce from the database.
 */
export function sealNonce(code: Secret, nonce: string, random: Random): string {
  return sealUnder(code, nonce, { use: nonceUse, random });
}

/** Reverses `sealNonce`. Throws for another code. */
export function openNonce(code: string, sealed: string): string {
  return openUnder(code, sealed, nonceUse);
}

/** Encrypts what hooks have answered about the tokens of a code in the same way. Undefined: none were asked. */
export function sealHookAnswers(
  code: Secret,
  answers: readonly KeptAnswer[],
  random: Random,
): string | undefined {
  return answers.length === 0
    ? undefined
    : sealUnder(code, JSON.stringify(answers), { use: answersUse, random });
}

/** Reverses `sealHookAnswers`. */
export function openHookAnswers(code: string, sealed: string | undefined): readonly KeptAnswer[] {
  return sealed === undefined
    ? []
    : (JSON.parse(openUnder(code, sealed, answersUse)) as readonly KeptAnswer[]); // made above
}

const nonceUse = "nonce of a request";
const answersUse = "answers of hooks";

function sealUnder(
  code: Secret,
  text: string,
  { use, random }: { readonly use: string; readonly random: Random },
): string {
  const plaintext = Buffer.from(text, "utf8");
  const key = toKeyOf(code.reveal(), use);
  return Buffer.from(encryptWith({ key, plaintext, context: use, nonce: random.bytes(12) })).toString(
    "base64url",
  );
}

function openUnder(code: string, sealed: string, use: string): string {
  const value = new Uint8Array(Buffer.from(sealed, "base64url"));
  return Buffer.from(decryptWith({ key: toKeyOf(code, use), value, context: use })).toString();
}

function toKeyOf(code: string, use: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", code, "", use, 32));
}

/** What a code was issued for. */
export interface CodeTerms {
  readonly redirectUri: string;
  /** Undefined: it was asked for without PKCE. */
  readonly codeChallenge: string | undefined;
}

/** What the client sends with a code. */
export interface Redemption {
  readonly redirectUri: string | undefined;
  readonly verifier: string | undefined;
}

/**
 * Says why a code is not for this client (RFC 6749 §4.1.3, RFC 7636 §4.6); undefined when it is. A code that was asked for with
 * PKCE is never redeemed without, and the other way round (RFC 9700 §4.8.2).
 */
export function findFaultInRedemption(terms: CodeTerms, sent: Redemption): string | undefined {
  if (sent.redirectUri !== terms.redirectUri)
    return "redirect_uri is not the one that the code was asked for with";
  if (terms.codeChallenge === undefined)
    return sent.verifier === undefined ? undefined : "the code was asked for without code_challenge";
  if (sent.verifier === undefined) return "the parameter code_verifier is missing";
  return isVerifierOf(terms.codeChallenge, sent.verifier)
    ? undefined
    : "code_verifier does not fit to code_challenge";
}

/** RFC 7636 §4.1, §4.6. */
function isVerifierOf(codeChallenge: string, verifier: string): boolean {
  if (!/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier)) return false;
  const made = hash("sha256", verifier, "base64url");
  return equalBytes(Buffer.from(made), Buffer.from(codeChallenge));
}

function toRefreshToken(bytes: Uint8Array): Secret {
  return new Secret(`${refreshPrefix}${Buffer.from(bytes).toString("base64url")}`);
}
