import type { ApplicationId, TokenId } from "../../../kernel/base/ids.ts";
import type { PublicJwk } from "../../../kernel/base/public-key.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { type ClientKey, toKeyPayload } from "../../client-keys/client-key.ts";
import { aggregateOf, requireCreated } from "../application/application.ts";
import type { OAuthApplicationBase } from "../oauth/oauth-application.ts";

/** Decides to add a key. Raises WRONG_KIND for an external client. `expirationMs` absent = never expires. */
export function addApplicationKey(
  application: OAuthApplicationBase,
  key: { readonly id: TokenId; readonly publicKey: PublicJwk; readonly expirationMs?: number | undefined },
): NewEvent {
  requireCreated(application);
  return { type: "application.key.added", ...aggregateOf(application), payload: toKeyPayload(key) };
}

/** Decides to remove a key. */
export function removeApplicationKey(key: ClientKey & { readonly applicationId: ApplicationId }): NewEvent {
  return {
    type: "application.key.removed",
    aggregateId: key.applicationId,
    resourceOwner: key.details.resourceOwner,
    payload: { key_id: key.id },
  };
}

/** Makes the file with a private key, in the form that the libraries of ZITADEL read. */
export function toApplicationKeyFile(key: {
  readonly id: TokenId;
  readonly applicationId: ApplicationId;
  readonly privateKey: Secret;
}): Secret {
  const { id, applicationId } = key;
  const file = {
    type: "application",
    keyId: id,
    key: key.privateKey.reveal(),
    clientId: applicationId,
    appId: applicationId,
  };
  return new Secret(JSON.stringify(file));
}
