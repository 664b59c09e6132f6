import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { IdentityProviderId } from "../../kernel/base/ids.ts";
import type { Keyring } from "../../kernel/base/keyring.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { equalBytes, type Secret } from "../../kernel/base/secret.ts";
import { findSecret, putSecret, removeSecret } from "../../kernel/events/secret-store.ts";
import { change, type CommandTransaction, type Decide, type FeatureContext, write } from "../context.ts";
import { remove, type Removal } from "../removal.ts";
import { type ListedPage, readList } from "../list.ts";
import {
  addIdentityProvider,
  deactivateIdentityProvider,
  type IdentityProvider,
  type IdentityProviderSettings,
  identityProviderNameTaken,
  reactivateIdentityProvider,
  removeIdentityProvider,
  updateIdentityProvider,
  updateJwt,
} from "./identity-provider.ts";
import type { JwtConfig, JwtSource } from "./jwt.ts";
import {
  type IdentityProviderConfig,
  type IdentityProviderKind,
  isSameKind,
  placeOfSecret,
  secretIdOfConfig,
} from "./kinds.ts";
import { bindDnNeeded, bindPasswordNeeded, issuerOfDirectory, type LdapSettings } from "./ldap.ts";
import { clientSecretIdOf, clientSecretNeeded, type OidcProviderSettings, toUniqueScopes } from "./oidc.ts";
import { type SamlProviderSettings, toStoredSaml } from "./saml.ts";
import { secretFieldOf, type TemplateSettings, toStoredTemplate } from "./template.ts";
import {
  getIdentityProvider,
  type IdentityProviderFilter,
  identityProviderList,
  isIdentityProviderNameTaken,
} from "./repository.ts";

/** What comes with a new provider, and with a change of one, whose client secret may be missing. */
interface SentOfKind<S> {
  readonly jwt: JwtConfig;
  readonly oidc: OidcProviderSettings & { readonly clientSecret: S };
  readonly saml: SamlProviderSettings;
  readonly ldap: LdapSettings & { readonly bindPassword: Secret | undefined };
  readonly template: TemplateSettings & { readonly secret: S };
}
type Sent<S> = { [K in IdentityProviderKind]: { readonly kind: K } & SentOfKind<S>[K] }[IdentityProviderKind];

/** The data of a new provider. Its secret is stored only in the table of secrets. */
export type NewConfig = Sent<Secret>;

/** The data that replaces a stored configuration. Without a secret the stored one is kept, if it is sent to the same place. */
export type ChangedConfig = Sent<Secret | undefined>;

/** The use cases of identity providers. */
export interface IdentityProviderCommands {
  /** Raises ALREADY_EXISTS for a name that is taken in the organization, FIELD_INVALID for a service account without password. */
  add(
    call: Call,
    settings: IdentityProviderSettings,
    config: NewConfig,
  ): Promise<{ readonly id: IdentityProviderId; readonly details: Details }>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<IdentityProvider>;
  /** Raises PAGE_TOKEN_INVALID. */
  list(call: Call, filter: IdentityProviderFilter, page: PageRequest): Promise<ListedPage<IdentityProvider>>;
  /**
   * Replaces everything but the kind. A different secret replaces the stored one, which is destroyed. If it is sent to another place
   * from then on, it has to come again. Raises NOT_FOUND, WRONG_KIND, FIELD_INVALID, ALREADY_EXISTS. Harmless to repeat.
   */
  update(
    call: Call,
    id: string,
    change: { readonly settings: IdentityProviderSettings; readonly config: ChangedConfig },
  ): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  deactivate(call: Call, id: string): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  reactivate(call: Call, id: string): Promise<Details>;
  /**
   * Removes the provider and destroys its secret. The links to its identities go with it, and the sessions and tokens that
   * were begun with them alone. Raises NOT_FOUND.
   */
  remove(call: Call, id: string): Promise<Removal>;
  /**
   * Replaces only the source of the JWT. Raises NOT_FOUND, WRONG_KIND. Harmless to repeat: a call that changes
   * nothing records nothing.
   */
  updateJwt(call: Call, id: string, source: JwtSource): Promise<Details>;
}

/** Creates the commands about identity providers. */
export function createIdentityProviderCommands(context: FeatureContext): IdentityProviderCommands {
  const changeProvider = (call: Call, id: string, decide: Decide<IdentityProvider>) =>
    change(context, call, {
      load: ({ tx }) => getIdentityProvider(tx, call.access.organizationId, id),
      decide,
    });
  const keeping = (decide: Decide<IdentityProvider>) => keepWaysIn(context, decide);
  return {
    add: (call, settings, config) =>
      write(context, call, async ({ tx, append }) => {
        const { organizationId } = call.access;
        const id = tx.nextId<IdentityProviderId>();
        const secretId = clientSecretIdOf(id);
        const secret = sentSecretOf(config);
        requireAccountWhole(config, secret !== undefined);
        const added = addIdentityProvider({
          id,
          organizationId,
          settings,
          config: toStored(config, secretId),
        });
        if (await isIdentityProviderNameTaken(tx, organizationId, settings.name)) {
          throw identityProviderNameTaken(settings.name);
        }
        if (secret !== undefined) await putClientSecret(context, tx, secretId, secret);
        return { id, details: createdDetails(await append([added]), organizationId) };
      }),
    get: (call, id) => context.database.read((tx) => getIdentityProvider(tx, call.access.organizationId, id)),
    list: (call, filter, page) =>
      context.database.read((tx) => {
        const asked = { of: call.access.organizationId, filter };
        return readList(context, tx, { list: identityProviderList, call, asked, page });
      }),
    update: (call, id, input) =>
      changeProvider(
        call,
        id,
        keeping((provider, command) => update(context, command, { provider, ...input })),
      ),
    deactivate: (call, id) => changeProvider(call, id, keeping(deactivateIdentityProvider)),
    reactivate: (call, id) => changeProvider(call, id, reactivateIdentityProvider),
    remove: (call, id) =>
      remove(context, call, {
        load: ({ tx }) => getIdentityProvider(tx, call.access.organizationId, id),
        decide: keeping(removeIdentityProvider),
      }),
    updateJwt: (call, id, source) =>
      changeProvider(
        call,
        id,
        keeping((provider) => updateJwt(provider, source)),
      ),
  };
}

/** Decides so that no user of the organization with a role on the instance loses their last way to sign in with the provider. */
function keepWaysIn(context: FeatureContext, decide: Decide<IdentityProvider>): Decide<IdentityProvider> {
  return async (provider, command) => {
    const { organizationId } = command.call.access;
    await context.waysIn?.keep(command, { of: "organization", organizationId });
    return await decide(provider, command);
  };
}

/** Decides on an update, and stores the secret that is in force after it. */
async function update(
  context: FeatureContext,
  { tx, call }: CommandTransaction,
  input: {
    readonly provider: IdentityProvider;
    readonly settings: IdentityProviderSettings;
    readonly config: ChangedConfig;
  },
): Promise<ReturnType<typeof updateIdentityProvider>> {
  const { provider, settings, config } = input;
  const before = secretIdOfConfig(provider.config);
  const secret = await findNewSecret(context, tx, { provider, config });
  const secretId = secret === undefined ? (before ?? "") : clientSecretIdOf(tx.nextId<IdentityProviderId>());
  const stored = toStored(config, secretId);
  const events = updateIdentityProvider(provider, settings, stored);
  if (events.length === 0) return events;
  if (await isIdentityProviderNameTaken(tx, call.access.organizationId, settings.name, provider))
    throw identityProviderNameTaken(settings.name);
  if (secret !== undefined) await putClientSecret(context, tx, secretId, secret);
  if (before !== undefined && secretIdOfConfig(stored) !== before) await removeSecret(tx, before);
  return events;
}

/**
 * Returns the secret that replaces the stored one; undefined: that is kept, or there is none. A stored secret goes to the place
 * that it was stored for, byte for byte, and to no other: a caller who may change the place must not learn the secret by that. So
 * with another place it has to be sent again, and is stored again even if it is the same. Leaves a provider of another kind to the
 * decision. Raises FIELD_INVALID.
 */
async function findNewSecret(
  { keyring }: FeatureContext,
  tx: ReadTransaction,
  { provider, config }: { readonly provider: IdentityProvider; readonly config: ChangedConfig },
): Promise<Secret | undefined> {
  if (!isSameKind(config, provider.config)) return undefined;
  const sent = sentSecretOf(config);
  const storedId = secretIdOfConfig(provider.config);
  const isElsewhere = placeOfSecret(toStored(config, "")) !== placeOfSecret(provider.config);
  requireAccountWhole(config, sent !== undefined || (storedId !== undefined && !isElsewhere));
  if (sent === undefined) {
    if (isElsewhere && config.kind === "oidc") throw clientSecretNeeded("oidc.client_secret");
    if (isElsewhere && config.kind === "template") throw clientSecretNeeded(secretFieldOf(config.template));
    return undefined;
  }
  const isKept =
    storedId !== undefined && !isElsewhere && (await isClientSecret(keyring, tx, storedId, sent));
  return isKept ? undefined : sent;
}

/** Refuses a service account of a directory without its password, and a password of nobody. Raises FIELD_INVALID. */
function requireAccountWhole(config: NewConfig | ChangedConfig, hasSecret: boolean): void {
  if (config.kind !== "ldap") return;
  if (config.bindDn !== "" && !hasSecret) throw bindPasswordNeeded();
  if (config.bindDn === "" && config.bindPassword !== undefined) throw bindDnNeeded();
}

async function putClientSecret(
  context: FeatureContext,
  tx: WriteTransaction,
  secretId: string,
  secret: Secret,
): Promise<void> {
  const plaintext = Buffer.from(secret.reveal(), "utf8");
  await putSecret(tx, secretId, context.keyring.encrypt("client-secret", plaintext, secretId));
}

/** Says whether the secret is the stored one. */
async function isClientSecret(
  keyring: Keyring,
  tx: ReadTransaction,
  id: string,
  secret: Secret,
): Promise<boolean> {
  const stored = await findSecret(tx, id);
  return (
    stored !== undefined &&
    equalBytes(keyring.decrypt("client-secret", stored, id), Buffer.from(secret.reveal(), "utf8"))
  );
}

/** Returns the secret that came with a configuration; undefined: none came, or its kind has none. */
function sentSecretOf(config: NewConfig | ChangedConfig): Secret | undefined {
  switch (config.kind) {
    case "jwt":
    case "saml":
      return undefined;
    case "oidc":
      return config.clientSecret;
    case "ldap":
      return config.bindPassword;
    case "template":
      return config.secret;
  }
}

function toStored(config: NewConfig | ChangedConfig, clientSecretId: string): IdentityProviderConfig {
  switch (config.kind) {
    case "jwt":
      return config;
    case "saml":
      return { kind: "saml", ...toStoredSaml(config) };
    case "template":
      return { kind: "template", ...toStoredTemplate(config, clientSecretId) };
    case "oidc":
      return {
        kind: "oidc",
        clientId: config.clientId,
        clientSecretId,
        issuer: config.issuer,
        scopes: toUniqueScopes(config.scopes),
        displayNameMapping: config.displayNameMapping,
        usernameMapping: config.usernameMapping,
      };
    case "ldap": {
      const { bindPassword: _secret, ...settings } = config;
      const bindSecretId = config.bindDn === "" ? "" : clientSecretId;
      return { ...settings, issuer: issuerOfDirectory(config), bindSecretId };
    }
  }
}
