import { toEnum } from "../../../api/enums.ts";
import {
  type IdentityProvider,
  StylingType,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import { toPath } from "../../../routing/routes.ts";

/** The kind of an identity provider, which never changes. */
export type ProviderKind = NonNullable<IdentityProvider["config"]["case"]>;

/** By their places below the place of a new one. */
const placesOfKinds: Readonly<Record<ProviderKind, string>> = {
  google: "template/google",
  entra: "template/entra",
  github: "template/github",
  gitlab: "template/gitlab",
  apple: "template/apple",
  oidc: "oidc",
  saml: "saml",
  ldap: "ldap",
  jwt: "jwt",
};

/** The kinds of identity providers, in the order in which they are offered. */
export const providerKinds = Object.keys(placesOfKinds) as readonly ProviderKind[]; // its keys

/** Returns the place where one of the kind is added. */
export function toNewProvider(organization: string, kind: ProviderKind): string {
  return `${toProviders(organization)}/new/${placesOfKinds[kind]}`;
}

/** Says of which kind an identity provider is. */
export function kindOfProvider({ config }: Pick<IdentityProvider, "config">): ProviderKind {
  return config.case ?? "oidc"; // the API always names one
}

/** Returns the place of the list. */
export function toProviders(organization: string): string {
  return toPath("/orgs/:organization/idps", { organization });
}

/** Returns the place of an identity provider. */
export function toProvider(organization: string, provider: string): string {
  return toPath("/orgs/:organization/idps/:provider", { organization, provider });
}

/** What identity providers of all kinds have, as fields hold it: enums are the texts of their numbers. */
export type SharedValues = {
  readonly name: string;
  readonly stylingType: string;
  readonly autoRegister: boolean;
};

/** Returns the values of an identity provider; undefined: those of a new one. */
export function toSharedValues(provider?: IdentityProvider): SharedValues {
  return {
    name: provider?.name ?? "",
    stylingType: String(provider?.stylingType ?? StylingType.UNSPECIFIED),
    autoRegister: provider?.autoRegister ?? false,
  };
}

/** What identity providers of all kinds have, as requests have it. */
export interface SharedRequest extends Omit<SharedValues, "stylingType"> {
  readonly stylingType: StylingType;
}

/** Returns the values as requests have them. */
export function toSharedRequest({ name, stylingType, autoRegister }: SharedValues): SharedRequest {
  return { name, stylingType: toEnum(StylingType, stylingType), autoRegister };
}
