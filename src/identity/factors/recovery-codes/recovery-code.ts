import { createHmac } from "node:crypto";
import type { Details } from "../../../kernel/base/details.ts";
import type { RecoveryCodesId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import { notFound, Problem } from "../../../kernel/base/problem.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { equalBytes, Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { foldTypedCode } from "../../people/codes/typed-code.ts";
import { type LoginOrigin, toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";
import type { FactorLineage } from "../second-factors/u2f.ts";
import type { HumanUser } from "../../people/user/user.ts";

/** The recovery codes that a user has. They replace a second factor in a login, and are none by themselves. */
export interface RecoveryCodes {
  readonly id: RecoveryCodesId;
  readonly details: Details;
  readonly userId: UserId;
  /** How many of them were not used. */
  readonly remaining: number;
}

/** What typed codes are compared with: keyed hashes of those that were not used. */
export interface RecoveryCodeHashes {
  readonly key: Uint8Array;
  readonly hashes: readonly Uint8Array[];
}

/** How many codes are made at once. */
const recoveryCodeCount = 10;

// Crockford's base32 (https://www.crockford.com/base32.html): no letter looks like a digit.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const codeLength = 10;
const keyBytes = 32;

/** Draws codes, each of 10 characters, and a key under which they are hashed. */
export function newRecoveryCodes(random: Random): {
  readonly codes: readonly Secret[];
  readonly stored: RecoveryCodeHashes;
} {
  const texts = Array.from({ length: recoveryCodeCount }, () =>
    Array.from(random.bytes(codeLength), (byte) => alphabet.charAt(byte % alphabet.length)).join(""),
  );
  const key = random.bytes(keyBytes);
  return {
    codes: texts.map((text) => new Secret(text)),
    stored: { key, hashes: texts.map((text) => hashOf(key, text)) },
  };
}

/**
 * Returns the hash of a typed code if it is one of those that are left; undefined if it is none. It may be typed as `foldTypedCode`
 * says, in small letters too, and O, I and L stand for the digits that they look like. Takes as long for a wrong code as for a
 * right one.
 */
export function findRecoveryCode({ key, hashes }: RecoveryCodeHashes, typed: Secret): Uint8Array | undefined {
  const hash = hashOf(key, normalize(typed.reveal()));
  const equal = hashes.map((each) => equalBytes(each, hash)); // all of them, whichever it is
  return hashes[equal.indexOf(true)];
}

/** Returns the hashes that are left when a code was used; undefined if it is not among them any more. */
export function withoutRecoveryCode(
  { key, hashes }: RecoveryCodeHashes,
  used: Uint8Array,
): RecoveryCodeHashes | undefined {
  const left = hashes.filter((each) => !equalBytes(each, used));
  return left.length === hashes.length ? undefined : { key, hashes: left };
}

/** Decides to give the user new codes, which end the former ones. */
export function addRecoveryCodes(
  user: Pick<HumanUser, "id" | "details">,
  id: RecoveryCodesId,
  made: {
    /** The token of the call; undefined in a login. */
    readonly madeWithTokenId?: TokenId | undefined;
    /** The other people that could have made the login. */
    readonly loginOrigin?: LoginOrigin | undefined;
  } = {},
): NewEvent {
  return {
    type: "user.recovery_codes.added",
    aggregateId: user.id,
    resourceOwner: user.details.resourceOwner,
    payload: {
      codes_id: id,
      count: recoveryCodeCount,
      ...(made.madeWithTokenId === undefined ? {} : { made_with_token_id: made.madeWithTokenId }),
      ...toLoginOriginPayload(made.loginOrigin),
    },
  };
}

/** Decides to record that one of the codes was used. */
export function useRecoveryCode(codes: RecoveryCodes): NewEvent {
  return { type: "user.recovery_codes.used", ...aggregateOf(codes) };
}

/** Decides to end all codes that are left. */
export function removeRecoveryCodes(codes: Omit<RecoveryCodes, "remaining">): NewEvent {
  return { type: "user.recovery_codes.removed", ...aggregateOf(codes) };
}

/** Recovery codes and the user who made them, and so knows them. */
export type RecoveryCodesLineage = Omit<FactorLineage, "id" | "type"> & { readonly id: RecoveryCodesId };

/** Decides to ask the user at the next login whether to keep the codes. */
export function questionRecoveryCodes({ id, userId, organizationId }: RecoveryCodesLineage): NewEvent {
  return {
    type: "user.recovery_codes.questioned",
    aggregateId: userId,
    resourceOwner: organizationId,
    payload: { codes_id: id },
  };
}

/** Decides to keep codes that were questioned. */
export function keepRecoveryCodes(codes: RecoveryCodes): NewEvent {
  return { type: "user.recovery_codes.kept", ...aggregateOf(codes) };
}

/** Returns under which id the hashes of codes lie among the secrets. */
export function recoveryCodesSecretId(id: string): string {
  return `recovery-codes:${id}`;
}

/** Returns the context that the hashes of codes are bound to. */
export function recoveryCodesSecretContext({ userId, id }: Pick<RecoveryCodes, "userId" | "id">): string {
  return `recovery-codes.${userId}.${id}`;
}

/** Returns the problem of a user who has no recovery codes. */
export function recoveryCodesNotFound(userId: string): Problem {
  return notFound("recovery_codes", userId);
}

/** Returns the problem of a user who has no factor that codes could replace: their maker could use them later. */
export function secondFactorMissing(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "SECOND_FACTOR_MISSING",
    message: "recovery codes take the place of a second factor, and the user has none; add one first",
  });
}

function normalize(typed: string): string {
  return foldTypedCode(typed).replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}

function hashOf(key: Uint8Array, code: string): Uint8Array {
  return new Uint8Array(createHmac("sha256", key).update(code).digest());
}

function aggregateOf({ id, userId, details }: Pick<RecoveryCodes, "id" | "userId" | "details">) {
  return { aggregateId: userId, resourceOwner: details.resourceOwner, payload: { codes_id: id } };
}
