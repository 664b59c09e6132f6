import type { Call } from "../../base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import type { IdentityProviderId } from "../../base/ids.ts";
import type { Keyring } from "../../base/keyring.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import { equalBytes, type Secret } from "../../base/secret.ts";
import type { NewEvent } from "../../events/event.ts";
import { findSecret, putSecret, removeSecret } from "../../events/secret-store.ts";
import { type FeatureContext, processedSequence, target, write } from "../context.ts";
import {
  addIdentityProvider,
  deactivateIdentityProvider,
  type IdentityProvider,
  type IdentityProviderConfig,
  type IdentityProviderSettings,
  identityProviderNameTaken,
  identityProviderNotFound,
  reactivateIdentityProvider,
  removeIdentityProvider,
  updateIdentityProvider,
  updateJwt,
} from "./identity-provider.ts";
import type { JwtConfig, JwtSource } from "./jwt.ts";
import { clientSecretIdOf, type OidcSettings, toUniqueScopes } from "./oidc.ts";
import {
  countIdentityProviders,
  findIdentityProvider,
  type IdentityProviderFilter,
  isIdentityProviderNameTaken,
  listIdentityProviders,
} from "./repository.ts";

/** What a caller gives for a new provider. The client secret goes no further than the table of secrets. */
export type NewConfig =
  | ({ readonly kind: "jwt" } & JwtConfig)
  | ({ readonly kind: "oidc"; readonly clientSecret: Secret } & OidcSettings);

/** What takes the place of a stored configuration. Without client secret the stored one stays. */
export type ChangedConfig =
  | ({ readonly kind: "jwt" } & JwtConfig)
  | ({ readonly kind: "oidc"; readonly clientSecret: Secret | undefined } & OidcSettings);

export interface IdentityProviderCommands {
  /** Raises ALREADY_EXISTS for a name that the organization has given. */
  add(
    call: Call,
    settings: IdentityProviderSettings,
    config: NewConfig,
  ): Promise<{ readonly id: IdentityProviderId; readonly details: Details }>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<IdentityProvider>;
  /** Raises PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    filter: Pick<IdentityProviderFilter, "name" | "state">,
    page: PageRequest,
  ): Promise<{ readonly page: Page<IdentityProvider>; readonly sequence: number }>;
  /**
   * Replaces everything but the kind. A client secret that differs from the stored one takes its place, which is destroyed.
   * Raises NOT_FOUND, WRONG_KIND, ALREADY_EXISTS. Harmless to repeat.
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
  /** Removes the provider and destroys its client secret. Raises NOT_FOUND. */
  remove(call: Call, id: string): Promise<Details>;
  /**
   * Replaces where the JWT comes from and leaves the rest. Raises NOT_FOUND, WRONG_KIND. Harmless to repeat: what changes
   * nothing records nothing.
   */
  updateJwt(call: Call, id: string, source: JwtSource): Promise<Details>;
}

export function createIdentityProviderCommands(context: FeatureContext): IdentityProviderCommands {
  const change =
    (decide: (provider: IdentityProvider) => readonly NewEvent[]) =>
    (call: Call, id: string): Promise<Details> =>
      write(context, call, async ({ tx, append }) => {
        const provider = target(call, await getIdentityProvider(tx, call, id));
        const events = decide(provider);
        return events.length === 0
          ? provider.details
          : changedDetails(provider.details, await append(events));
      });
  return {
    add: (call, settings, config) =>
      write(context, call, async ({ tx, append }) => {
        const { organizationId } = call.access;
        if (await isIdentityProviderNameTaken(tx, organizationId, settings.name)) {
          throw identityProviderNameTaken(settings.name);
        }
        const id = context.ids.next<IdentityProviderId>();
        const secretId = clientSecretIdOf(id);
        if (config.kind === "oidc") await putClientSecret(context, tx, secretId, config.clientSecret);
        const added = addIdentityProvider({
          id,
          organizationId,
          settings,
          config: toStored(config, secretId),
        });
        return { id, details: createdDetails(await append([added]), organizationId) };
      }),
    get: (call, id) => context.database.read((tx) => getIdentityProvider(tx, call, id)),
    list: (call, filter, page) => list(context, { call, filter, page }),
    update: (call, id, input) => update(context, call, { id, ...input }),
    deactivate: change(deactivateIdentityProvider),
    reactivate: change(reactivateIdentityProvider),
    remove: change(removeIdentityProvider),
    updateJwt: (call, id, source) => change((provider) => updateJwt(provider, source))(call, id),
  };
}

function list(
  context: FeatureContext,
  input: {
    readonly call: Call;
    readonly filter: Pick<IdentityProviderFilter, "name" | "state">;
    readonly page: PageRequest;
  },
): ReturnType<IdentityProviderCommands["list"]> {
  const { organizationId } = input.call.access;
  const filter = { ...input.filter, organizationId };
  return context.database.read(async (tx) => ({
    sequence: await processedSequence(tx),
    page: await readPage(context.keyring, input.page, {
      key: ["ListIdentityProviders", organizationId, filter.name, filter.state ?? ""],
      read: (query) => listIdentityProviders(tx, filter, query),
      count: (limit) => countIdentityProviders(tx, filter, limit),
    }),
  }));
}

function update(
  context: FeatureContext,
  call: Call,
  input: {
    readonly id: string;
    readonly settings: IdentityProviderSettings;
    readonly config: ChangedConfig;
  },
): Promise<Details> {
  const { settings, config } = input;
  return write(context, call, async ({ tx, append }) => {
    const provider = target(call, await getIdentityProvider(tx, call, input.id));
    const before = provider.config.kind === "oidc" ? provider.config.clientSecretId : "";
    const sent = config.kind === "oidc" ? config.clientSecret : undefined;
    const isKept = sent === undefined || (await isClientSecret(context.keyring, tx, before, sent));
    const secretId = isKept ? before : clientSecretIdOf(context.ids.next<IdentityProviderId>());
    const events = updateIdentityProvider(provider, settings, toStored(config, secretId));
    if (events.length === 0) return provider.details;
    if (await isIdentityProviderNameTaken(tx, call.access.organizationId, settings.name, provider.id))
      throw identityProviderNameTaken(settings.name);
    if (!isKept) {
      await putClientSecret(context, tx, secretId, sent);
      await removeSecret(tx, before);
    }
    return changedDetails(provider.details, await append(events));
  });
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

async function getIdentityProvider(tx: ReadTransaction, call: Call, id: string): Promise<IdentityProvider> {
  const provider = await findIdentityProvider(tx, call.access.organizationId, id);
  if (provider === undefined) throw identityProviderNotFound(id);
  return provider;
}

function toStored(config: NewConfig | ChangedConfig, clientSecretId: string): IdentityProviderConfig {
  if (config.kind === "jwt") return config;
  return {
    kind: "oidc",
    clientId: config.clientId,
    clientSecretId,
    issuer: config.issuer,
    scopes: toUniqueScopes(config.scopes),
    displayNameMapping: config.displayNameMapping,
    usernameMapping: config.usernameMapping,
  };
}
