import type { IdentityProviderId } from "../../../kernel/base/ids.ts";
import type { SamlProviderStored } from "../../../identity/providers/saml.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { toIdentity, toSaid } from "../provider/identity.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { isSubject } from "../provider/subject.ts";
import { persistentFormat } from "./names.ts";
import type { CheckedAssertion } from "./read-assertion.ts";

const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
const emailFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

/** The names that products give what we know of people, in lower case. The first one counts that an assertion has. */
const attributeNames: Readonly<Record<string, readonly string[]>> = {
  email: ["email", "mail", "emailaddress", "urn:oid:0.9.2342.19200300.100.1.3", `${claims}/emailaddress`],
  given_name: ["firstname", "first_name", "givenname", "urn:oid:2.5.4.42", `${claims}/givenname`],
  family_name: ["surname", "lastname", "last_name", "sn", "urn:oid:2.5.4.4", `${claims}/surname`],
  name: [
    "fullname",
    "displayname",
    "name",
    "urn:oid:2.16.840.1.113730.3.1.241",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "cn",
    "urn:oid:2.5.4.3",
  ],
  preferred_username: [
    "username",
    "uid",
    "urn:oid:0.9.2342.19200300.100.1.1",
    "edupersonprincipalname",
    "urn:oid:1.3.6.1.4.1.5923.1.1.1.6",
    `${claims}/upn`,
    `${claims}/name`,
  ],
  locale: ["locale", "preferredlanguage", "urn:oid:2.16.840.1.113730.3.1.39"],
};

/** Makes the identity of a checked assertion. Raises a ProviderFailure for one that names nobody for ever. */
export function toSamlIdentity(
  providerId: IdentityProviderId,
  config: SamlProviderStored,
  assertion: CheckedAssertion,
): ExternalIdentity {
  const { nameId, authTimeMs, attributes } = assertion;
  const subject =
    config.idAttribute === "" ? subjectOfName(assertion) : subjectIn(config.idAttribute, attributes);
  const byName = new Map([...attributes].map(([name, [value]]) => [name.toLowerCase(), value]));
  const found = Object.entries(attributeNames).map(([claim, names]) => [
    claim,
    names.map((name) => byName.get(name)).find((value) => value !== undefined && value !== ""),
  ]);
  const named = Object.fromEntries(found) as Readonly<Record<string, string | undefined>>; // its entries
  const email = named["email"] ?? (nameId?.format === emailFormat ? nameId.value : undefined);
  return toIdentity(
    { providerId, issuer: config.issuer, subject, authTimeMs, said: toSaid(Object.fromEntries(attributes)) },
    { ...named, email, email_verified: config.trustMail },
  );
}

/** A transient name is another one each time, and addresses and usernames get other owners: SAML Core §8.3. */
function subjectOfName({ nameId }: CheckedAssertion): string {
  if (nameId?.format !== persistentFormat) throw new ProviderFailure("refused", "NameID is not persistent");
  if (!isSubject(nameId.value)) throw new ProviderFailure("refused", "NameID");
  return nameId.value;
}

function subjectIn(name: string, attributes: CheckedAssertion["attributes"]): string {
  const [value, ...others] = attributes.get(name) ?? [];
  if (others.length > 0 || !isSubject(value)) throw new ProviderFailure("refused", "id_attribute");
  return value;
}
