import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import type { Problem } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { findSecret, putSecret, removeSecret, removeSecretsOf } from "../../../kernel/events/secret-store.ts";
import {
  codeInvalid,
  type CodeKind,
  codeKeyUses,
  codeLifetimesMs,
  type CodeReceiver,
  codeText,
  countWrongCode,
  isGuessable,
  requireCode,
  type VerificationCode,
} from "./code.ts";
import { foldTypedCode } from "./typed-code.ts";

// Codes and wrong attempts are among the secrets, because the log must not hold them.

/** Returns the code that is pending for the user, or undefined. */
export async function findVerificationCode(
  tx: ReadTransaction,
  kind: CodeKind,
  userId: UserId,
): Promise<VerificationCode | undefined> {
  const secret = await findSecret(tx, codeId(kind, userId));
  if (secret === undefined) return undefined;
  const stored = JSON.parse(Buffer.from(secret.value).toString("utf8")) as StoredCode; // written by putVerificationCode
  const value = new Uint8Array(Buffer.from(stored.mac, "base64"));
  const isSent = stored.isSent ?? stored.isMailed;
  return { ...stored, isSent, mac: { keyId: secret.keyId, value } };
}

/** Stores the code, replacing the previous one. */
async function putVerificationCode(
  tx: WriteTransaction,
  kind: CodeKind,
  { userId, code }: { readonly userId: UserId; readonly code: VerificationCode },
): Promise<void> {
  const stored: StoredCode = { ...code, mac: Buffer.from(code.mac.value).toString("base64") };
  await putSecret(tx, codeId(kind, userId), {
    keyId: code.mac.keyId,
    value: new Uint8Array(Buffer.from(JSON.stringify(stored))),
  });
}

/** Stores a code that was just drawn, for the address of the user that it goes to; empty for a code without one. */
export async function putNewCode(
  tx: WriteTransaction,
  kind: CodeKind,
  made: {
    readonly userId: UserId;
    readonly address: string;
    readonly code: Secret;
    readonly keyring: Keyring;
    readonly nowMs: number;
    readonly givenTo?: CodeReceiver | undefined;
    readonly isSent?: boolean | undefined;
    /** Default: that of its kind. */
    readonly lifetimeMs?: number | undefined;
  },
): Promise<void> {
  const { userId, address, code, keyring, nowMs, givenTo, isSent, lifetimeMs = codeLifetimesMs[kind] } = made;
  const mac = keyring.mac(codeKeyUses[kind], codeText(userId, address, code.reveal()));
  const expirationMs = nowMs + lifetimeMs;
  await putVerificationCode(tx, kind, { userId, code: { mac, expirationMs, tries: 0, givenTo, isSent } });
}

/** Makes the pending code void; does nothing when there is none. */
export async function removeCode(tx: WriteTransaction, kind: CodeKind, userId: UserId): Promise<void> {
  await removeSecret(tx, codeId(kind, userId));
}

/** An attempt to use a code. */
export interface CodeAttempt {
  readonly userId: UserId;
  /** The address of the user that the code went to; empty for a code without one. */
  readonly address: string;
  /** Undefined: all is checked but the code, and nothing is counted. */
  readonly code: Secret | undefined;
  readonly keyring: Keyring;
  readonly nowMs: number;
}

/**
 * Uses the pending code up if it is the right one, and returns it. A wrong one of a guessable kind is counted, and its problem is
 * returned instead of raised: return it from the write, so that the count stays. Raises CODE_NOT_PENDING, RATE_LIMITED and CODE_EXHAUSTED
 * (guessable kinds only), CODE_EXPIRED before anything is compared.
 */
export async function takeCode(
  tx: WriteTransaction,
  kind: CodeKind,
  attempt: CodeAttempt,
): Promise<VerificationCode | Problem> {
  const { userId, nowMs } = attempt;
  const pending = await readCode(tx, kind, attempt);
  if (!isCodeOf(kind, pending, attempt)) {
    if (isGuessable[kind]) {
      const counted = countWrongCode(pending, await findWrongCodes(tx, kind, userId), nowMs);
      await putVerificationCode(tx, kind, { userId, code: counted.pending });
      await putInstants(tx, triesId(kind, userId), counted.wrongTries);
    }
    return codeInvalid();
  }
  await removeCode(tx, kind, userId);
  return pending;
}

/** Says whether the code could be used now. Nothing is used or counted, so a guessable kind must not be asked for. */
export async function isUsableCode(
  tx: ReadTransaction,
  kind: "reset",
  attempt: CodeAttempt & { readonly code: Secret },
): Promise<boolean> {
  const pending = await findVerificationCode(tx, kind, attempt.userId);
  return pending !== undefined && pending.expirationMs > attempt.nowMs && isCodeOf(kind, pending, attempt);
}

/** Says whether `takeCode` would take the code, and changes nothing. Raises what it raises. */
export async function isRightCode(
  tx: ReadTransaction,
  kind: CodeKind,
  attempt: CodeAttempt,
): Promise<boolean> {
  return isCodeOf(kind, await readCode(tx, kind, attempt), attempt);
}

function isCodeOf(
  kind: CodeKind,
  pending: VerificationCode,
  { userId, address, code, keyring }: CodeAttempt,
): boolean {
  if (code === undefined) return true;
  const text = codeText(userId, address, foldTypedCode(code.reveal()));
  return keyring.isMacOf(codeKeyUses[kind], pending.mac, text);
}

/** Raises what `takeCode` raises, without looking at a code. */
export async function readCode(
  tx: ReadTransaction,
  kind: CodeKind,
  { userId, nowMs }: Pick<CodeAttempt, "userId" | "nowMs">,
): Promise<VerificationCode> {
  const wrongTries = await findWrongCodes(tx, kind, userId);
  return requireCode({ pending: await findVerificationCode(tx, kind, userId), wrongTries, nowMs });
}

/** Destroys the codes and wrong attempts of removed users, which the query names by `id`. */
export async function removeCodesOf(
  tx: WriteTransaction,
  users: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  for (const kind of Object.keys(codeLifetimesMs) as CodeKind[]) {
    await removeSecretsOf(tx, `${kind}-code:`, users);
    await removeSecretsOf(tx, triesPrefixOf(kind), users);
  }
}

/** Returns the beginning of the ids of the counters of wrong attempts. */
export function triesPrefixOf(kind: CodeKind): string {
  return `${kind}-tries:`;
}

/** Reads instants that are kept under the id of a counter, oldest first. */
export async function findInstants(tx: ReadTransaction, id: string): Promise<readonly number[]> {
  const secret = await findSecret(tx, id);
  return secret === undefined ? [] : (JSON.parse(Buffer.from(secret.value).toString("utf8")) as number[]); // written by putInstants
}

/** Keeps instants under the id of a counter, which replace those that were kept. */
export async function putInstants(
  tx: WriteTransaction,
  id: string,
  instants: readonly number[],
): Promise<void> {
  if (instants.length === 0) await removeSecret(tx, id);
  else
    await putSecret(tx, id, {
      keyId: "",
      value: new Uint8Array(Buffer.from(JSON.stringify(instants))),
    });
}

interface StoredCode extends Omit<VerificationCode, "mac"> {
  readonly mac: string;
  /** In place of `isSent`, in what earlier versions have stored. */
  readonly isMailed?: boolean;
}

async function findWrongCodes(
  tx: ReadTransaction,
  kind: CodeKind,
  userId: UserId,
): Promise<readonly number[]> {
  return isGuessable[kind] ? await findInstants(tx, triesId(kind, userId)) : [];
}

function codeId(kind: CodeKind, userId: UserId): string {
  return `${kind}-code:${userId}`;
}

function triesId(kind: CodeKind, userId: UserId): string {
  return `${triesPrefixOf(kind)}${userId}`;
}
