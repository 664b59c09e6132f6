import type { SecondFactorId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import { alreadyExists, notFound, Problem } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { type LoginOrigin, toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";
import type { FactorLineage, SecondFactor } from "../second-factors/u2f.ts";
import type { HumanUser } from "../../people/user/user.ts";

/** What a decision about the authenticator app of a user needs to know of it. */
export type Totp = Pick<SecondFactor, "id" | "userId" | "details" | "state">;

/** Decides to begin a registration, in place of one that was not completed. Raises ALREADY_EXISTS if the user has an app. */
export function addTotp(
  user: HumanUser,
  id: SecondFactorId,
  {
    former,
    madeWithTokenId,
    loginOrigin,
  }: {
    readonly former: Totp | undefined;
    readonly madeWithTokenId?: TokenId | undefined;
    /** The other people that could have made the login in which it begins. */
    readonly loginOrigin?: LoginOrigin | undefined;
  },
): readonly NewEvent[] {
  if (former?.state === "READY") throw totpTaken(former);
  return [
    ...(former === undefined ? [] : [removeTotp(former)]),
    {
      type: "user.totp.added",
      aggregateId: user.id,
      resourceOwner: user.details.resourceOwner,
      payload: {
        totp_id: id,
        ...(madeWithTokenId === undefined ? {} : { made_with_token_id: madeWithTokenId }),
        ...toLoginOriginPayload(loginOrigin),
      },
    },
  ];
}

/** Refuses a registration that is complete: ALREADY_EXISTS. */
export function requireOpenTotp(totp: Totp): Totp {
  if (totp.state === "READY") throw totpTaken(totp);
  return totp;
}

/** Decides to complete a registration. */
export function verifyTotp(totp: Pick<Totp, "id" | "userId" | "details">): NewEvent {
  return { type: "user.totp.verified", ...aggregateOf(totp) };
}

/** Decides to remove the app, or a registration that was started. */
export function removeTotp(totp: Pick<Totp, "id" | "userId" | "details">): NewEvent {
  return { type: "user.totp.removed", ...aggregateOf(totp) };
}

/** Decides to ask the user at the next login whether to keep the app. */
export function questionTotp({ id, userId, organizationId }: Omit<FactorLineage, "type">): NewEvent {
  return {
    type: "user.totp.questioned",
    aggregateId: userId,
    resourceOwner: organizationId,
    payload: { totp_id: id },
  };
}

/** Decides to keep an app that was questioned. */
export function keepTotp(totp: Pick<Totp, "id" | "userId" | "details">): NewEvent {
  return { type: "user.totp.kept", ...aggregateOf(totp) };
}

/** Decides to record a wrong code, or one that was used before. */
export function failTotpCheck(totp: Pick<Totp, "id" | "userId" | "details">): NewEvent {
  return { type: "user.totp.check.failed", ...aggregateOf(totp) };
}

/** Returns under which id the secret of an app lies among the secrets. */
export function totpSecretId(id: string): string {
  return `totp:${id}`;
}

/** Returns the context that the secret of an app is bound to. */
export function totpSecretContext(userId: UserId, id: SecondFactorId): string {
  return `totp.${userId}.${id}`;
}

/** Returns the problem of a user who has no authenticator app. */
export function totpNotFound(userId: string): Problem {
  return notFound("totp", userId);
}

/** Returns the problem of a code that is wrong, or was used before. */
export function totpInvalid(): Problem {
  return new Problem({
    kind: "invalid",
    reason: "TOTP_INVALID",
    message: "the code is wrong or was used before; wait for the next one",
    violations: [{ field: "code", description: "must be the code that the authenticator app shows now" }],
  });
}

function totpTaken({ id }: Pick<Totp, "id">): Problem {
  return alreadyExists("second_factor", id, "the user has an authenticator app; remove it first");
}

function aggregateOf({ id, userId, details }: Pick<Totp, "id" | "userId" | "details">) {
  return { aggregateId: userId, resourceOwner: details.resourceOwner, payload: { totp_id: id } };
}
