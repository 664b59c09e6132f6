import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { Editor } from "../../kernel/base/call.ts";
import type { TokenId, UserId } from "../../kernel/base/ids.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { unverifyEmail } from "../people/emails/email.ts";
import { findEmailLineage } from "../people/emails/repository.ts";
import { isOutside } from "../held-roles/outside.ts";
import type { VerificationCode } from "../people/codes/code.ts";
import { findVerificationCode } from "../people/codes/repository.ts";
import { endResetCode, isInvited } from "../people/codes/reset-code-repository.ts";
import { voidPassword } from "../people/passwords/password.ts";
import { findPasswordLineage, removePasswordHash } from "../people/passwords/repository.ts";
import { findTokenUser } from "../programs/tokens/repository.ts";
import { type Gain, isCarriedByMaker } from "./tokens-to-limit.ts";

/**
 * Ends what others know that lets them log in as the user who gains roles, unless they hold the roles themselves at this moment:
 * the password, if one of these people set it, and the code for a password, if one of them got it or it was mailed. An address that
 * one of them set is verified no longer, and gets no such code. Users set a new password by another code. Append the events that it
 * returns together with the gain.
 */
export async function endKnownPassword(tx: WriteTransaction, gain: Gain): Promise<readonly NewEvent[]> {
  if (gain.gained.length === 0) return [];
  const { userId } = gain;
  const ended = await endKnownCode(tx, gain);
  const password = await findPasswordLineage(tx, userId);
  const isKnown = password !== undefined && !(await isHarmless(tx, password, gain));
  const email = await unverify(tx, gain, isKnown);
  if (!isKnown) return [...email, ...ended];
  await removePasswordHash(tx, userId);
  return [voidPassword({ id: userId, organizationId: password.organizationId }), ...email, ...ended];
}

/**
 * A code that was mailed goes, because its address may be set by somebody else: another one is asked for when the user needs it. An
 * invitation stays, if the gain is inside of the organization and the people that could read it hold the roles themselves.
 */
async function endKnownCode(tx: WriteTransaction, gain: Gain): Promise<readonly NewEvent[]> {
  const { userId, organizationId, scope } = gain;
  const code = await findVerificationCode(tx, "reset", userId);
  if (code === undefined) return [];
  const isKept =
    (await isCodeHarmless(tx, code, gain)) &&
    (code.isSent !== true || ((await isInvited(tx, userId)) && !isOutside(scope, organizationId)));
  return isKept ? [] : await endResetCode(tx, { userId, organizationId }, "roles_gained");
}

async function isCodeHarmless(
  tx: WriteTransaction,
  { givenTo }: Pick<VerificationCode, "givenTo">,
  gain: Gain,
): Promise<boolean> {
  if (givenTo === undefined) return true;
  const { userId: creator, tokenId: madeWithTokenId } = givenTo;
  const parentUserId = madeWithTokenId && (await findTokenUser(tx, madeWithTokenId));
  return await isHarmless(tx, { creator, madeWithTokenId, parentUserId }, gain);
}

/** An address that one of them set is verified no longer, and no code for a password is mailed to it. */
async function unverify(
  tx: WriteTransaction,
  gain: Gain,
  isPasswordKnown: boolean,
): Promise<readonly NewEvent[]> {
  const { userId } = gain;
  const email = await findEmailLineage(tx, userId);
  if (email?.creator === undefined) return [];
  const { creator, organizationId } = email;
  // Anybody who knows the password may have set it as the user.
  const isGood =
    creator === userId
      ? !isPasswordKnown
      : await isHarmless(tx, { creator, madeWithTokenId: undefined, parentUserId: undefined }, gain);
  return isGood ? [] : [unverifyEmail({ id: userId, organizationId })];
}

interface Lineage {
  readonly creator: Editor;
  readonly madeWithTokenId: TokenId | undefined;
  readonly parentUserId: UserId | undefined;
}

async function isHarmless(tx: WriteTransaction, lineage: Lineage, gain: Gain): Promise<boolean> {
  if (lineage.creator === gain.userId || lineage.creator === "system") return true;
  return await isCarriedByMaker(tx, lineage, gain);
}
