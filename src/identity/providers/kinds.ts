import type { EventPayloads } from "../../kernel/events/payloads.ts";
import { type JwtConfig, toJwtConfig, toJwtPayload } from "./jwt.ts";
import { type LdapConfig, placeOfDirectory, toLdapConfig, toLdapPayload } from "./ldap.ts";
import { type OidcConfig, toOidcConfig, toOidcPayload } from "./oidc.ts";
import { type SamlProviderStored, toSamlPayload, toSamlStored } from "./saml.ts";
import {
  homeOf,
  nounOfTemplate,
  type TemplateConfig,
  toTemplateConfig,
  toTemplatePayload,
} from "./template.ts";

/**
 * The configuration of each kind of provider. A new kind begins here: code that has to know the kind then does not compile until it
 * does.
 */
interface ConfigOfKind {
  readonly jwt: JwtConfig;
  readonly oidc: OidcConfig;
  readonly saml: SamlProviderStored;
  readonly ldap: LdapConfig;
  readonly template: TemplateConfig;
}

/** A kind of provider. It is set at creation and cannot change. */
export type IdentityProviderKind = keyof ConfigOfKind;

/** The configuration of a provider. */
export type IdentityProviderConfig = {
  [K in IdentityProviderKind]: { readonly kind: K } & ConfigOfKind[K];
}[IdentityProviderKind];

/** The part of a payload that holds the configuration, under the name of the kind. */
export type ConfigPayload = Pick<EventPayloads["identity_provider.added"], IdentityProviderKind>;

/** What a kind answers for its providers. */
interface Kind<K extends IdentityProviderKind> {
  /** As messages name it, with its article. */
  readonly noun: string;
  readonly toPayload: (config: ConfigOfKind[K]) => NonNullable<ConfigPayload[K]>;
  readonly toConfig: (payload: NonNullable<ConfigPayload[K]>) => ConfigOfKind[K];
  /** Returns the id of the secret that the provider has; undefined: it has none. */
  readonly secretIdOf: (config: ConfigOfKind[K]) => string | undefined;
  /** Returns the place that the secret is sent to. */
  readonly placeOf: (config: ConfigOfKind[K]) => string;
}

const kinds: { readonly [K in IdentityProviderKind]: Kind<K> } = {
  jwt: {
    noun: "a JWT identity provider",
    toPayload: toJwtPayload,
    toConfig: toJwtConfig,
    secretIdOf: () => undefined,
    placeOf: () => "",
  },
  oidc: {
    noun: "an OIDC identity provider",
    toPayload: toOidcPayload,
    toConfig: toOidcConfig,
    secretIdOf: ({ clientSecretId }) => clientSecretId,
    placeOf: ({ issuer }) => issuer,
  },
  ldap: {
    noun: "a directory",
    toPayload: toLdapPayload,
    toConfig: toLdapConfig,
    secretIdOf: ({ bindSecretId }) => (bindSecretId === "" ? undefined : bindSecretId),
    placeOf: placeOfDirectory,
  },
  saml: {
    noun: "a SAML identity provider",
    toPayload: toSamlPayload,
    toConfig: toSamlStored,
    secretIdOf: () => undefined,
    placeOf: () => "",
  },
  template: {
    noun: "an identity provider of a template",
    toPayload: toTemplatePayload,
    toConfig: toTemplateConfig,
    secretIdOf: ({ secretId }) => secretId,
    placeOf: homeOf,
  },
};

/** Names the kind of a configuration in a message. */
export function nounOfConfig(config: KindOfConfig): string {
  return config.kind === "template" ? nounOfTemplate(config.template) : kinds[config.kind].noun;
}

/** What says of which kind a configuration is. */
export type KindOfConfig =
  | { readonly kind: Exclude<IdentityProviderKind, "template"> }
  | ({ readonly kind: "template" } & Pick<TemplateConfig, "template">);

/** Says whether two configurations are of the same kind, and of the same template. */
export function isSameKind(one: KindOfConfig, other: KindOfConfig): boolean {
  return one.kind === other.kind && nounOfConfig(one) === nounOfConfig(other);
}

/** Returns the configuration as events hold it. */
export function toConfigPayload<K extends IdentityProviderKind>(
  config: { readonly kind: K } & ConfigOfKind[K],
): ConfigPayload {
  const kind: Kind<K> = kinds[config.kind];
  return { [config.kind]: kind.toPayload(config) };
}

/** Returns the kind that an event is about. */
export function kindOfPayload(payload: ConfigPayload): IdentityProviderKind {
  const found = (Object.keys(kinds) as IdentityProviderKind[]).find((kind) => payload[kind] !== undefined); // its keys
  if (found === undefined) throw new Error("an identity provider is of no kind");
  return found;
}

/** Returns the configuration of a payload of that kind. */
export function toConfigOfKind<K extends IdentityProviderKind>(
  kind: K,
  payload: NonNullable<ConfigPayload[K]>,
): { readonly kind: K } & ConfigOfKind[K] {
  return { kind, ...kinds[kind].toConfig(payload) };
}

/** Returns the id of the secret of a provider; undefined: it has none. */
export function secretIdOfConfig<K extends IdentityProviderKind>(
  config: { readonly kind: K } & ConfigOfKind[K],
): string | undefined {
  const kind: Kind<K> = kinds[config.kind];
  return kind.secretIdOf(config);
}

/** Returns the place that the secret of a provider is sent to, to be compared with another one. */
export function placeOfSecret<K extends IdentityProviderKind>(
  config: { readonly kind: K } & ConfigOfKind[K],
): string {
  const kind: Kind<K> = kinds[config.kind];
  return kind.placeOf(config);
}
