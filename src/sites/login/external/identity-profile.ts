import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import { checkLanguage } from "../../../identity/people/user/language-tag.ts";
import { type HumanProfile } from "../../../identity/people/user/user.ts";
import { isFieldRight, isProfileText, type TypedField, type TypedProfile } from "../forms/profile.ts";
import type {
  ExternalIdentity,
  IdentityClaims,
} from "../../../identity/people/identity-links/external-identity.ts";

/**
 * The required part of a profile as the provider says it. Fields that it does not contain, or that no account can have, are empty.
 */
export function readClaimedProfile(
  claims: IdentityClaims,
  provider: Pick<IdentityProvider, "config">,
): TypedProfile {
  const claimed: TypedProfile = {
    username: chooseUsername(claims, provider),
    givenName: claims.givenName ?? "",
    familyName: claims.familyName ?? "",
    email: claims.email ?? "",
  };
  const known = (field: TypedField): string => (isFieldRight(claimed, field) ? claimed[field] : "");
  return {
    username: known("username"),
    givenName: known("givenName"),
    familyName: known("familyName"),
    email: known("email"),
  };
}

/** Makes the profile of an account: what else the provider says, and the name to show. */
export function toHumanProfile(
  profile: TypedProfile,
  claims: IdentityClaims,
  provider: Pick<IdentityProvider, "config">,
): HumanProfile {
  return {
    ...profile,
    displayName: chooseDisplayName(profile, claims, provider),
    preferredLanguage: chooseLanguage(claims),
    phone: "",
  };
}

/** Chooses what people call the identity; empty when the provider does not say. It is shown, and decides nothing. */
export function nameIdentity({ claims }: Pick<ExternalIdentity, "claims">): string {
  return [claims.preferredUsername, claims.email].find(isName) ?? "";
}

function chooseUsername(claims: IdentityClaims, provider: Pick<IdentityProvider, "config">): string {
  const { preferredUsername, email } = claims;
  switch (mappingOf(provider, "usernameMapping")) {
    case "OIDC_MAPPING_FIELD_PREFERRED_USERNAME":
      return preferredUsername ?? "";
    case "OIDC_MAPPING_FIELD_EMAIL":
      return email ?? "";
    default:
      return [preferredUsername, email].find(isName) ?? "";
  }
}

function chooseDisplayName(
  { username }: TypedProfile,
  claims: IdentityClaims,
  provider: Pick<IdentityProvider, "config">,
): string {
  const { preferredUsername, email, name, givenName, familyName } = claims;
  const mapped = {
    OIDC_MAPPING_FIELD_PREFERRED_USERNAME: preferredUsername,
    OIDC_MAPPING_FIELD_EMAIL: email,
  }[mappingOf(provider, "displayNameMapping")];
  const full = [givenName, familyName].filter((part) => part !== undefined).join(" ");
  return [mapped, name, full, preferredUsername, email].find(isName) ?? username;
}

/** A locale may be written with an underscore, as in OpenID Connect Core §5.1. */
function chooseLanguage({ locale = "" }: IdentityClaims): string {
  const tag = locale.replaceAll("_", "-");
  return isName(tag) && checkLanguage("locale", tag).length === 0 ? tag : "";
}

/** Only providers of OpenID Connect have mappings. */
function mappingOf(
  { config }: Pick<IdentityProvider, "config">,
  field: "displayNameMapping" | "usernameMapping",
): string {
  switch (config.kind) {
    case "jwt":
    case "saml":
    case "ldap":
    case "template":
      return "OIDC_MAPPING_FIELD_UNSPECIFIED";
    case "oidc":
      return config[field];
  }
}

/** Says whether the text can be a name here. */
function isName(text: string | undefined): text is string {
  return text !== undefined && isProfileText(text);
}
