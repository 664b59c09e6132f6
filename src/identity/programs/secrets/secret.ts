import type { Details } from "../../../kernel/base/details.ts";
import type { TokenId, UserId } from "../../../kernel/base/ids.ts";
import { notFound, type Problem } from "../../../kernel/base/problem.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { type LoginOrigin, toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";
import { clientSecretHashId, hashToken } from "../tokens/token.ts";

/** The client secret of a service user. */
export interface ServiceUserSecret {
  readonly id: TokenId;
  readonly details: Details;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
}

/** A secret that was just made. Its hash goes under `hashId` in the write that records the event. */
export interface NewServiceUserSecret {
  readonly event: NewEvent;
  /** What the program sends; the caller sees it once. */
  readonly secret: Secret;
  readonly hashId: string;
  readonly hash: Uint8Array;
}

/** Decides to give the user a secret in place of any former one. `expirationMs` absent = never expires. */
export function setSecret(input: {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly organizationId: string;
  readonly random: Random;
  readonly expirationMs?: number | undefined;
  /** The token of the call; undefined after a login. */
  readonly madeWithTokenId: TokenId | undefined;
  /** As of personal access tokens. */
  readonly loginOrigin?: LoginOrigin | undefined;
}): NewServiceUserSecret {
  const { id, expirationMs, madeWithTokenId, loginOrigin } = input;
  const text = Buffer.from(input.random.bytes(32)).toString("base64url");
  return {
    event: {
      type: "user.secret.set",
      aggregateId: input.userId,
      resourceOwner: input.organizationId,
      payload: {
        secret_id: id,
        ...(expirationMs === undefined ? {} : { expiration_date: new Date(expirationMs).toISOString() }),
        ...(madeWithTokenId === undefined ? {} : { made_with_token_id: madeWithTokenId }),
        ...toLoginOriginPayload(loginOrigin),
      },
    },
    secret: new Secret(text),
    hashId: clientSecretHashId(id),
    hash: hashToken(text),
  };
}

/** Decides to give the user a secret that it has already elsewhere, in place of any former one. It never expires. */
export function keepSecretOfUser({
  id,
  userId,
  organizationId,
}: Pick<Parameters<typeof setSecret>[0], "id" | "userId" | "organizationId">): Pick<
  NewServiceUserSecret,
  "event" | "hashId"
> {
  return {
    event: {
      type: "user.secret.set",
      aggregateId: userId,
      resourceOwner: organizationId,
      payload: { secret_id: id },
    },
    hashId: clientSecretHashId(id),
  };
}

/** Decides to remove a secret. */
export function removeSecretOfUser(secret: ServiceUserSecret & { readonly userId: UserId }): NewEvent {
  return {
    type: "user.secret.removed",
    aggregateId: secret.userId,
    resourceOwner: secret.details.resourceOwner,
    payload: { secret_id: secret.id },
  };
}

/** Returns the problem of a user who has no secret. */
export function secretNotFound(userId: string): Problem {
  return notFound("secret", userId);
}
