import type { ApplicationId, AuthorizationId } from "../../../kernel/base/ids.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import type { Random } from "../../../kernel/base/random.ts";
import type { TryLimits } from "../../logins/tries/try.ts";

/** A device that waits for somebody to allow it in another browser (RFC 8628 §3.1), as it is stored. */
export interface DeviceAuthorization {
  /** Of the device code. */
  readonly hash: string;
  readonly applicationId: ApplicationId;
  /** Those that were granted. */
  readonly scopes: readonly string[];
  /** The applications of the APIs that it names; empty: none. */
  readonly resources: readonly string[];
  readonly decision: DeviceDecision;
  /** How long the device has to wait between two polls. */
  readonly intervalSeconds: number;
  /** When the device has last asked for tokens; undefined = never. */
  readonly lastPollMs: number | undefined;
  /** When the tokens were given; undefined = never. */
  readonly usedMs: number | undefined;
  readonly expirationMs: number;
}

/** What a person has decided about a device. */
export type DeviceDecision =
  | { readonly kind: "pending" }
  | { readonly kind: "denied" }
  | { readonly kind: "allowed"; readonly authorizationId: AuthorizationId };

/** Says whether somebody may still decide about the device. */
export function isWaiting({ decision, expirationMs }: DeviceAuthorization, nowMs: number): boolean {
  return decision.kind === "pending" && expirationMs > nowMs;
}

/** What a device learns that asks for tokens. */
export type Poll =
  /** It waits too little: it has to wait so long from now on (RFC 8628 §3.5). */
  | { readonly kind: "slow-down"; readonly intervalSeconds: number }
  | { readonly kind: "pending" | "denied" | "expired" }
  /** It has its tokens already. */
  | { readonly kind: "used"; readonly authorizationId: AuthorizationId }
  | { readonly kind: "allowed"; readonly authorizationId: AuthorizationId };

/** How long somebody may take to allow a device. */
export const deviceCodeMs = 600_000;
/** For so long after that the device learns that it is too late, rather than that nobody knows its code. */
export const deviceMemoryMs = 600_000;
/** How long a device waits between two polls at first. */
export const pollSeconds = 5;
const slowDownSeconds = 5;
/** No device has to wait longer than this, so that a few early polls do not use up its time. */
const maxPollSeconds = 60;
/**
 * A poll may come so much too early: what lies between device and service is not always equally quick, and two polls may come to
 * processes whose clocks differ.
 */
const earlyMs = 2000;

/** Wrong user codes from an address. */
export const userCodeLimits: TryLimits = { kind: "window", maxTries: 10, windowMs: 900_000 };

/** Without vowels, so that a code is never a word (RFC 8628 §6.1). Eight of twenty make 34 bits. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const userCodeLength = 8;
const userCodePattern = new RegExp(`^[${letters}]{${userCodeLength}}$`);

/** Makes a device code with 256 random bits. */
export function newDeviceCode(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url");
}

/** Makes a user code, without its hyphen. */
export function newUserCode(random: Random): string {
  return Array.from({ length: userCodeLength }, () => letters[random.below(letters.length)]).join("");
}

/** Writes a user code as people read it: `WDJB-MJHT`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Reads a user code as people type it: small letters, spaces and hyphens do not matter (RFC 8628 §6.1). Undefined: it is none. */
export function parseUserCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s\p{Pd}]/gu, "").toUpperCase();
  return userCodePattern.test(code) ? code : undefined;
}

/** Hashes a user code for storage, with each key: the first is the one that seals. A plain hash of so few letters could be reversed. */
export function hashUserCode(keyring: Keyring, code: string): readonly [string, ...string[]] {
  const hashWith = (keyId: string) => toText(keyring.mac("device-code", `user code ${code}`, keyId).value);
  const others = keyring.keyIds.filter((keyId) => keyId !== keyring.sealingKeyId);
  return [hashWith(keyring.sealingKeyId), ...others.map(hashWith)];
}

/**
 * Checks the poll of a device (RFC 8628 §3.5). One that comes too early learns nothing, so that a device which asks all the time
 * never gets tokens sooner than another.
 */
export function checkPoll(device: DeviceAuthorization, nowMs: number): Poll {
  const { decision, intervalSeconds, lastPollMs, usedMs, expirationMs } = device;
  if (decision.kind === "allowed" && usedMs !== undefined)
    return { kind: "used", authorizationId: decision.authorizationId };
  if (expirationMs <= nowMs) return { kind: "expired" };
  // After the clock was set back, the last poll lies in the future.
  const waitedMs = lastPollMs === undefined || lastPollMs > nowMs ? Infinity : nowMs - lastPollMs;
  if (waitedMs + earlyMs < intervalSeconds * 1000)
    return {
      kind: "slow-down",
      intervalSeconds: Math.min(intervalSeconds + slowDownSeconds, maxPollSeconds),
    };
  return decision;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
