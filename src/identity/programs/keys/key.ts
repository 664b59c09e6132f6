import type { TokenId, UserId } from "../../../kernel/base/ids.ts";
import type { PublicJwk } from "../../../kernel/base/public-key.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { type ClientKey, toKeyPayload } from "../../client-keys/client-key.ts";
import { type LoginOrigin, toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";

/** Decides to add a key. `expirationMs` absent = never expires. */
export function addServiceUserKey(key: {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly organizationId: string;
  readonly publicKey: PublicJwk;
  readonly expirationMs?: number | undefined;
  /** The token of the call. */
  readonly madeWithTokenId: TokenId | undefined;
  /** As of personal access tokens. */
  readonly loginOrigin?: LoginOrigin | undefined;
}): NewEvent {
  return {
    type: "user.key.added",
    aggregateId: key.userId,
    resourceOwner: key.organizationId,
    payload: {
      ...toKeyPayload(key),
      ...(key.madeWithTokenId === undefined ? {} : { made_with_token_id: key.madeWithTokenId }),
      ...toLoginOriginPayload(key.loginOrigin),
    },
  };
}

/** Decides to remove a key. */
export function removeServiceUserKey(key: ClientKey & { readonly userId: UserId }): NewEvent {
  return {
    type: "user.key.removed",
    aggregateId: key.userId,
    resourceOwner: key.details.resourceOwner,
    payload: { key_id: key.id },
  };
}

/** Makes the file with a private key, in the form that the libraries of ZITADEL read. */
export function toUserKeyFile(key: {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly privateKey: Secret;
}): Secret {
  const { id, userId, privateKey } = key;
  return new Secret(JSON.stringify({ type: "serviceaccount", keyId: id, key: privateKey.reveal(), userId }));
}
