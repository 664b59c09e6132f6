import type { SamlSettingsPayload } from "../../../kernel/events/application-payloads.ts";

/** When assertions are encrypted: whenever the service provider publishes a key that can be used, never, or else no login. */
export type SamlEncryption = "WHEN_POSSIBLE" | "NEVER" | "REQUIRED";

/** How service providers learn the identity of the user (SAML Core §8.3). USERNAME is the username, in the format unspecified. */
export type SamlNameIdFormat = "PERSISTENT" | "TRANSIENT" | "EMAIL_ADDRESS" | "USERNAME";

/** The format as messages name it (SAML Core §8.3). */
export const nameIdFormatUris: Readonly<Record<SamlNameIdFormat, string>> = {
  PERSISTENT: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  TRANSIENT: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  EMAIL_ADDRESS: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  USERNAME: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
};

/** What attributes can tell of a user, by our names, in the order of assertions. */
export const samlAttributeSources = [
  "Email",
  "SurName",
  "FirstName",
  "FullName",
  "UserName",
  "UserID",
  "Roles",
] as const;
/** One of them. */
export type SamlAttributeSource = (typeof samlAttributeSources)[number];

/** An attribute of assertions: something of the user, or the same text for all of them. */
export type SamlAttribute = {
  /** 1 to 256 characters. */
  readonly name: string;
  /** A URI of SAML Core §8.2; empty = basic. */
  readonly nameFormat: string;
} & (
  | { readonly kind: "source"; readonly source: SamlAttributeSource }
  /** 1 to 1024 characters. */
  | { readonly kind: "constant"; readonly constant: string }
);

/** What the owner of a SAML application decides about its logins, besides its metadata. A change replaces all of it. */
export interface SamlSettings {
  /** Whether unsigned AuthnRequests are refused although the metadata does not say so. */
  readonly requireSignedRequests: boolean;
  readonly encryption: SamlEncryption;
  /** Undefined: what the request or the metadata asks for. */
  readonly nameIdFormat: SamlNameIdFormat | undefined;
  /** Whether a login may begin at Gatehouse, without a request. */
  readonly allowIdpInitiated: boolean;
  /** At most 1024 characters; empty: none. */
  readonly defaultRelayState: string;
  /** Whether the application is left out of logouts that began elsewhere. */
  readonly isLogoutDisabled: boolean;
  /** At most 50. Empty: all that we have, and what the metadata asks for. */
  readonly attributes: readonly SamlAttribute[];
  /** Whether only the attributes that the metadata asks for are sent, if `attributes` is empty. */
  readonly onlyRequestedAttributes: boolean;
}

/** The settings of an application that nobody has changed. */
export const initialSamlSettings: SamlSettings = {
  requireSignedRequests: false,
  encryption: "WHEN_POSSIBLE",
  nameIdFormat: undefined,
  allowIdpInitiated: false,
  defaultRelayState: "",
  isLogoutDisabled: false,
  attributes: [],
  onlyRequestedAttributes: false,
};

/** Returns the settings as events hold them. */
export function toSamlSettingsPayload(settings: SamlSettings): SamlSettingsPayload {
  return {
    require_signed_requests: settings.requireSignedRequests,
    encryption: settings.encryption,
    name_id_format: settings.nameIdFormat ?? "",
    allow_idp_initiated: settings.allowIdpInitiated,
    default_relay_state: settings.defaultRelayState,
    logout_disabled: settings.isLogoutDisabled,
    attributes: settings.attributes.map((attribute) => ({
      name: attribute.name,
      name_format: attribute.nameFormat,
      ...(attribute.kind === "source" ? { source: attribute.source } : { constant: attribute.constant }),
    })),
    ...(settings.onlyRequestedAttributes ? { only_requested_attributes: true } : {}),
  };
}

/** Returns the settings in an event. */
export function toSamlSettings(payload: SamlSettingsPayload): SamlSettings {
  return {
    requireSignedRequests: payload.require_signed_requests,
    encryption: payload.encryption as SamlEncryption, // this and the others below: as the decision wrote it
    nameIdFormat: payload.name_id_format === "" ? undefined : (payload.name_id_format as SamlNameIdFormat),
    allowIdpInitiated: payload.allow_idp_initiated,
    defaultRelayState: payload.default_relay_state,
    isLogoutDisabled: payload.logout_disabled,
    attributes: payload.attributes.map(({ name, name_format: nameFormat, source, constant = "" }) =>
      source === undefined
        ? { kind: "constant", name, nameFormat, constant }
        : { kind: "source", name, nameFormat, source: source as SamlAttributeSource },
    ),
    onlyRequestedAttributes: payload.only_requested_attributes ?? false,
  };
}
