// Names that no mapping may have. A claim of such a name would be taken for one that the service vouches for.

const soap = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";

/** By where each is defined, in small letters. */
const reserved: Readonly<Record<string, readonly string[]>> = {
  "RFC 7519 §4.1": ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"],
  "RFC 7662 §2.2": ["active", "scope", "client_id", "username", "token_type"],
  "RFC 7800 §3.1": ["cnf"],
  "RFC 8693 §4": ["act", "may_act"],
  "RFC 9068 §2.2": ["auth_time", "acr", "amr", "roles", "groups", "entitlements"],
  "RFC 9396 §9": ["authorization_details"],
  "OpenID Connect Core §2, §3": ["nonce", "azp", "at_hash", "c_hash", "s_hash", "sub_jwk"],
  "OpenID Connect Core §5.1": [
    "name",
    "given_name",
    "family_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "profile",
    "picture",
    "website",
    "email",
    "email_verified",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "phone_number",
    "phone_number_verified",
    "address",
    "updated_at",
  ],
  "OpenID Connect Core §5.6.2": ["_claim_names", "_claim_sources"],
  "OpenID Connect Front-Channel and Back-Channel Logout": ["sid", "events"],
  "our own names in assertions": ["email", "surname", "firstname", "fullname", "username", "userid", "roles"],
  "what service providers call these": [
    "mail",
    "urn:oid:0.9.2342.19200300.100.1.3",
    `${soap}/emailaddress`,
    "last_name",
    "sn",
    "urn:oid:2.5.4.4",
    `${soap}/surname`,
    "first_name",
    "givenname",
    "urn:oid:2.5.4.42",
    `${soap}/givenname`,
    "displayname",
    "urn:oid:2.16.840.1.113730.3.1.241",
    `${soap}/name`,
    "uid",
    "urn:oid:0.9.2342.19200300.100.1.1",
    "urn:oid:1.3.6.1.4.1.5923.1.5.1.1",
  ],
};

const names = new Set(Object.values(reserved).flat());

/** Says whether a claim has a reserved name, in whatever case. */
export function isReservedClaim(name: string): boolean {
  const small = name.toLowerCase();
  return names.has(small) || /^urn:(?:zitadel|gatehouse):/.test(small);
}
