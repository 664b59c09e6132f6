import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import { keepIdentityLink, removeIdentityLink } from "../../people/identity-links/identity-link.ts";
import { listQuestionedLinks, type NamedIdentityLink } from "../../people/identity-links/repository.ts";
import {
  keepRecoveryCodes,
  questionRecoveryCodes,
  type RecoveryCodes,
  removeRecoveryCodes,
} from "../recovery-codes/recovery-code.ts";
import { keepPasskey, type Passkey, removePasskey } from "../passkeys/passkey.ts";
import { listQuestionedPasskeys } from "../passkeys/repository.ts";
import { findQuestionedCodes, findRecoveryCodesLineage } from "../recovery-codes/repository.ts";
import { listFactorLineages, listQuestionedFactors } from "../second-factors/repository.ts";
import {
  type FactorLineage,
  keepU2f,
  questionU2f,
  removeU2f,
  type SecondFactor,
} from "../second-factors/u2f.ts";
import { keepTotp, questionTotp, removeTotp } from "../totp/totp.ts";
import type { QuestionedWay, WayLineage } from "./review.ts";

/**
 * Lists the ways to log in that the user is to keep or to remove: the second factors, oldest first, then the recovery codes, the
 * passkeys, and the links to identities elsewhere.
 */
export async function listQuestionedWays(
  tx: ReadTransaction,
  userId: UserId,
): Promise<readonly QuestionedWay[]> {
  const factors = await listQuestionedFactors(tx, userId);
  const codes = await findQuestionedCodes(tx, userId);
  const passkeys = await listQuestionedPasskeys(tx, userId);
  const links = await listQuestionedLinks(tx, userId);
  return [
    ...factors.map(toFactorWay),
    ...(codes === undefined ? [] : [toCodesWay(codes)]),
    ...passkeys.map(toPasskeyWay),
    ...links.map(toLinkWay),
  ];
}

/**
 * Lists the second factors and the recovery codes of the user, with the users responsible for them, in the order of
 * `listQuestionedWays`. Passkeys and links are checked apart: anybody with one can log in.
 */
export async function listWayLineages(tx: ReadTransaction, userId: UserId): Promise<readonly WayLineage[]> {
  const ways = (await listFactorLineages(tx, userId)).map(toWayLineage);
  const codes = await findRecoveryCodesLineage(tx, userId);
  return [...ways, ...(codes === undefined ? [] : [{ ...codes, question: questionRecoveryCodes(codes) }])];
}

function toWayLineage(factor: FactorLineage): WayLineage {
  return { ...factor, question: factor.type === "U2F" ? questionU2f(factor) : questionTotp(factor) };
}

function toFactorWay(factor: SecondFactor & Pick<FactorLineage, "type">): QuestionedWay {
  const { id, type: kind, details, name } = factor;
  const about = { kind, id, details, name };
  if (kind === "U2F") return { ...about, keep: keepU2f(factor), remove: removeU2f(factor) };
  return { ...about, keep: keepTotp(factor), remove: removeTotp(factor) };
}

function toLinkWay(link: NamedIdentityLink): QuestionedWay {
  const { id, details, externalUserId, externalUsername, providerName } = link;
  const [keep, remove] = [keepIdentityLink(link), removeIdentityLink(link)];
  return {
    kind: "IDP_LINK",
    id,
    details,
    name: externalUsername || externalUserId,
    providerName,
    keep,
    remove,
  };
}

function toCodesWay(codes: RecoveryCodes): QuestionedWay {
  const { id, details } = codes;
  const [keep, remove] = [keepRecoveryCodes(codes), removeRecoveryCodes(codes)];
  return { kind: "RECOVERY_CODES", id, details, name: "", keep, remove };
}

function toPasskeyWay(passkey: Passkey): QuestionedWay {
  const { id, details, name } = passkey;
  const [keep, remove] = [keepPasskey(passkey), removePasskey(passkey)];
  return { kind: "PASSKEY", id, details, name, keep, remove };
}
