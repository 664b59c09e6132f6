import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import type { IdentityProviderId } from "../../base/ids.ts";
import type { Secret } from "../../base/secret.ts";
import { putSecret } from "../../events/secret-store.ts";
import { type FeatureContext, write } from "../context.ts";
import {
  addIdentityProvider,
  type IdentityProvider,
  type IdentityProviderConfig,
  type IdentityProviderSettings,
  identityProviderNameTaken,
  identityProviderNotFound,
  updateJwt,
} from "./identity-provider.ts";
import type { JwtConfig, JwtSource } from "./jwt.ts";
import { clientSecretIdOf, type OidcSettings, toUniqueScopes } from "./oidc.ts";
import { findIdentityProvider, isIdentityProviderNameTaken } from "./repository.ts";

/** What a caller gives for a new provider. The client secret goes no further than the table of secrets. */
export type NewConfig =
  | ({ readonly kind: "jwt" } & JwtConfig)
  | ({ readonly kind: "oidc"; readonly clientSecret: Secret } & OidcSettings);

export interface IdentityProviderCommands {
  /** Raises ALREADY_EXISTS for a name that the organization has given. */
  add(
    call: Call,
    settings: IdentityProviderSettings,
    config: NewConfig,
  ): Promise<{ readonly id: IdentityProviderId; readonly details: Details }>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<IdentityProvider>;
  /**
   * Replaces where the JWT comes from and leaves the rest. Raises NOT_FOUND, WRONG_KIND. Harmless to repeat: what changes
   * nothing records nothing.
   */
  updateJwt(call: Call, id: string, source: JwtSource): Promise<Details>;
}

export function createIdentityProviderCommands(context: FeatureContext): IdentityProviderCommands {
  return {
    add: (call, settings, config) =>
      write(context, call, async ({ tx, append }) => {
        const { organizationId } = call.access;
        if (await isIdentityProviderNameTaken(tx, organizationId, settings.name)) {
          throw identityProviderNameTaken(settings.name);
        }
        const id = context.ids.next<IdentityProviderId>();
        if (config.kind === "oidc") {
          const secretId = clientSecretIdOf(id);
          const plaintext = Buffer.from(config.clientSecret.reveal(), "utf8");
          await putSecret(tx, secretId, context.keyring.encrypt("client-secret", plaintext, secretId));
        }
        const added = addIdentityProvider({ id, organizationId, settings, config: toStored(id, config) });
        return { id, details: createdDetails(await append([added]), organizationId) };
      }),
    get: (call, id) => context.database.read((tx) => getIdentityProvider(tx, call, id)),
    updateJwt: (call, id, source) =>
      write(context, call, async ({ tx, append }) => {
        const provider = await getIdentityProvider(tx, call, id);
        const events = updateJwt(provider, source);
        return events.length === 0
          ? provider.details
          : changedDetails(provider.details, await append(events));
      }),
  };
}

async function getIdentityProvider(tx: ReadTransaction, call: Call, id: string): Promise<IdentityProvider> {
  const provider = await findIdentityProvider(tx, call.access.organizationId, id);
  if (provider === undefined) throw identityProviderNotFound(id);
  return provider;
}

function toStored(id: IdentityProviderId, config: NewConfig): IdentityProviderConfig {
  if (config.kind === "jwt") return config;
  return {
    kind: "oidc",
    clientId: config.clientId,
    clientSecretId: clientSecretIdOf(id),
    issuer: config.issuer,
    scopes: toUniqueScopes(config.scopes),
    displayNameMapping: config.displayNameMapping,
    usernameMapping: config.usernameMapping,
  };
}
