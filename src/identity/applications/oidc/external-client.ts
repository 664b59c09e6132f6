import { hash } from "node:crypto";
import { type ApplicationId, toId } from "../../../kernel/base/ids.ts";
import type { PublicJwk } from "../../../kernel/base/public-key.ts";
import type { ExternalClientPayload } from "../../../kernel/events/application-payloads.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { VerificationKey } from "../../client-keys/client-key.ts";
import type { Project } from "../../projects/project.ts";
import { aggregateOf, type ExternalClientKind } from "../application/application.ts";
import type { OAuthMethod, StoredExternalClient } from "../oauth/oauth-application.ts";
import type { OidcAppType, OidcApplication, OidcGrantType, OidcSettings } from "./oidc-application.ts";

/** What a client says of itself, as far as it counts here. */
export interface ExternalClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly OidcGrantType[];
  readonly appType: OidcAppType;
  readonly method: OAuthMethod;
  readonly keys: readonly Pick<VerificationKey, "id" | "publicKey">[];
  /** Undefined: it has sent its keys, or needs none. */
  readonly jwksUri: string | undefined;
}

/** Decides to take up a client that describes itself, under that client id. */
export function addExternalClient(input: {
  readonly id: ApplicationId;
  readonly kind: ExternalClientKind;
  readonly project: Project;
  readonly metadata: ExternalClientMetadata;
}): NewEvent {
  const { id, kind, project, metadata } = input;
  return {
    type: "application.external.added",
    aggregateId: id,
    resourceOwner: project.details.resourceOwner,
    payload: { project_id: project.id, kind, ...toExternalPayload(metadata) },
  };
}

/**
 * Decides what follows when the client describes itself in this way from now on: an event, or none. What users have confirmed ends if
 * the name, the redirect URIs, the method or keys that it sends are others; keys from `jwks_uri` may change.
 */
export function changeExternalClient(
  application: OidcApplication,
  metadata: ExternalClientMetadata,
): readonly NewEvent[] {
  const before = toMetadata(application);
  const payload = toExternalPayload(metadata);
  if (JSON.stringify(payload) === JSON.stringify(toExternalPayload(before))) return [];
  const isOther = toDigest(before) !== toDigest(metadata);
  return [
    {
      type: "application.external.changed",
      ...aggregateOf(application),
      payload: { ...payload, is_other: isOther },
    },
  ];
}

/** Reads the settings of such a client: whatever it does not say is as narrow as can be. */
export function fromStoredExternal(kind: ExternalClientKind, stored: StoredExternalClient): OidcSettings {
  return {
    redirectUris: stored.redirect_uris,
    responseTypes: ["CODE"],
    grantTypes: stored.grant_types as readonly OidcGrantType[], // this and the next two: written below
    appType: stored.app_type as OidcAppType,
    authMethodType: stored.auth_method_type as OAuthMethod,
    postLogoutRedirectUris: [],
    isDevMode: false,
    accessTokenType: "JWT",
    accessTokenRoleAssertion: false,
    idTokenRoleAssertion: false,
    idTokenUserinfoAssertion: false,
    additionalOrigins: [],
    backChannelLogoutUri: "",
    signingAlgorithm: "RS256",
    apiAccess: false,
    requirePkce: true,
    groupsClaim: "ROLE_KEYS",
    securityProfile: "NONE",
    requirePar: false,
    requireDpop: false,
    subject: "ID",
    external: {
      kind,
      keys: (stored.keys ?? []).map(({ key_id: id, public_key: key }) => ({
        id: toId(id),
        publicKey: JSON.parse(key) as PublicJwk, // written below
        expirationMs: undefined,
      })),
      jwksUri: stored.jwks_uri,
      sinceMs: stored.since_ms,
    },
  };
}

function toMetadata({ name, oidc }: OidcApplication): ExternalClientMetadata {
  const { redirectUris, grantTypes, appType, authMethodType: method, external } = oidc;
  const { keys = [], jwksUri } = external ?? {};
  return { name, redirectUris, grantTypes, appType, method, keys, jwksUri };
}

function toExternalPayload(metadata: ExternalClientMetadata): ExternalClientPayload {
  const { name, redirectUris, grantTypes, appType, method, keys, jwksUri } = metadata;
  return {
    name,
    redirect_uris: redirectUris,
    grant_types: grantTypes,
    app_type: appType,
    auth_method_type: method,
    ...(keys.length === 0
      ? {}
      : { keys: keys.map(({ id, publicKey }) => ({ key_id: id, public_key: JSON.stringify(publicKey) })) }),
    ...(jwksUri === undefined ? {} : { jwks_uri: jwksUri }),
  };
}

/** What a user has seen and relied on. */
function toDigest(metadata: ExternalClientMetadata): string {
  const { name, redirectUris, method, keys, jwksUri } = metadata;
  const sent = jwksUri ?? keys.map(({ publicKey }) => publicKey);
  return hash("sha256", JSON.stringify([name, redirectUris, method, sent]), "base64url");
}
