import { fieldInvalid, type FieldViolation, type Problem } from "../../kernel/base/problem.ts";
import type { OidcConfigPayload } from "../../kernel/events/provider-payloads.ts";

/** The configuration of an OpenID Connect provider, without its secret. */
export interface OidcProviderSettings {
  readonly clientId: string;
  readonly issuer: string;
  /** In the order in which the service asks for them, without duplicates. */
  readonly scopes: readonly string[];
  /** Names of values of the enum OidcMappingField. */
  readonly displayNameMapping: string;
  readonly usernameMapping: string;
}

/** The configuration of an OpenID provider, with the place of its secret. */
export interface OidcConfig extends OidcProviderSettings {
  /** Id of the secret that holds the encrypted client secret. */
  readonly clientSecretId: string;
}

/** Maximum number of scopes without duplicates. */
const maxScopes = 50;
/** The maximum of the proto's rule; that rule already reports a longer list. */
const maxSentScopes = 1000;

/** Drops duplicate scopes and keeps the order of first occurrence. */
export function toUniqueScopes(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)];
}

/** Returns a violation when too many different scopes are asked for. */
export function checkScopes(field: string, scopes: readonly string[]): readonly FieldViolation[] {
  const isTooLong = scopes.length <= maxSentScopes && toUniqueScopes(scopes).length > maxScopes;
  return isTooLong ? [{ field, description: `must have at most ${maxScopes} different entries` }] : [];
}

/** Returns the id of a client secret. The first one has the id of its provider, each later one an id of its own. */
export function clientSecretIdOf(id: string): string {
  return `client-secret:${id}`;
}

/** Returns the problem of an update that would send the stored client secret to another issuer, or to another `base_url`. */
export function clientSecretNeeded(field: string): Problem {
  return fieldInvalid(
    field,
    "must be sent again, because the issuer is another one: the stored secret is sent to no other issuer than the one that it was stored for",
  );
}

/** Returns the configuration as the event of a new provider holds it. */
export function toOidcPayload(config: OidcConfig): OidcConfigPayload {
  return {
    client_id: config.clientId,
    client_secret_id: config.clientSecretId,
    issuer: config.issuer,
    scopes: config.scopes,
    display_name_mapping: config.displayNameMapping,
    username_mapping: config.usernameMapping,
  };
}

/** Returns the configuration that an event holds. */
export function toOidcConfig(payload: OidcConfigPayload): OidcConfig {
  return {
    clientId: payload.client_id,
    clientSecretId: payload.client_secret_id,
    issuer: payload.issuer,
    scopes: payload.scopes,
    displayNameMapping: payload.display_name_mapping,
    usernameMapping: payload.username_mapping,
  };
}
