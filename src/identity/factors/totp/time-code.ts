import { createHmac } from "node:crypto";
import type { Secret } from "../../../kernel/base/secret.ts";
import { equalBytes } from "../../../kernel/base/secret.ts";
import { foldTypedCode } from "../../people/codes/typed-code.ts";

// TOTP (RFC 6238) with the parameters that every authenticator app knows: SHA-1, 6 digits, 30 seconds.

/** Bytes of a secret: the length of the hash, as RFC 4226 §4 recommends. */
export const totpSecretBytes = 20;

const stepMs = 30_000;
const digits = 6;
/** A QR code has room for so much of a username, whatever its letters are: each takes up to 12 characters of a URI. */
const maxNameLength = 60;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns the time step of an instant (RFC 6238 §4.2). */
export function toTimeStep(nowMs: number): number {
  return Math.floor(nowMs / stepMs);
}

/** Returns the code of a time step (RFC 4226 §5.3): 6 digits. */
export function timeCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/**
 * Returns the time step whose code it is: this one, the one before or the one after (RFC 6238 §5.2), of which `isUsed` is not
 * true; undefined if it is none of them. It may be typed as `foldTypedCode` says. Takes as long for a wrong code as for a right one.
 */
export function findTimeStep(
  secret: Uint8Array,
  typed: Secret,
  { nowMs, isUsed }: { readonly nowMs: number; readonly isUsed: (step: number) => boolean },
): number | undefined {
  const code = Buffer.from(foldTypedCode(typed.reveal()));
  const now = toTimeStep(nowMs);
  const fitting = [now, now - 1, now + 1].filter((step) =>
    equalBytes(Buffer.from(timeCode(secret, step)), code),
  );
  return fitting.find((step) => !isUsed(step));
}

/** Returns the secret as people type it into an app: base32 (RFC 4648 §6) without padding. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet.charAt(Number.parseInt(group.padEnd(5, "0"), 2))).join("");
}

/**
 * Returns the URI that an app reads from a QR code, such as `otpauth://totp/Gatehouse:ada?secret=…&issuer=Gatehouse`
 * (https://github.com/google/google-authenticator/wiki/Key-Uri-Format). The parameters that are left out are the usual ones.
 * Of a long username it has the beginning.
 */
export function otpauthUri(about: {
  readonly service: string;
  readonly username: string;
  readonly secret: Uint8Array;
}): string {
  const [service, username] = [about.service, firstOf(about.username)].map(encodeURIComponent);
  return `otpauth://totp/${service}:${username}?secret=${toBase32(about.secret)}&issuer=${service}`;
}

function firstOf(username: string): string {
  return Array.from(username).slice(0, maxNameLength).join("");
}
