import {
  type SamlAttribute,
  type SamlAttributeSource,
  samlAttributeSources,
  type SamlSettings,
} from "../../../identity/applications/saml/saml-settings.ts";
import type {
  AttributeService,
  ServiceProvider,
} from "../../../identity/applications/saml/service-provider.ts";
import type { HumanUser } from "../../../identity/people/user/user.ts";
import { isXmlText } from "../../../kernel/xml/scan.ts";
import { basicNameFormat } from "./identifiers.ts";
import { SamlRefusal } from "./status.ts";

/** The attributes of a user in an assertion: SAML Core §2.7.3.1. */
export interface ToldAttribute {
  readonly name: string;
  /** A URI; undefined when the service provider asked without one. */
  readonly nameFormat: string | undefined;
  /** At least one. */
  readonly values: readonly string[];
}

/** What decides which attributes are told. */
export interface AttributeWish {
  readonly serviceProvider: Pick<ServiceProvider, "attributeServices">;
  /** Of the application; if it has attributes, they alone decide. */
  readonly settings: Pick<SamlSettings, "attributes" | "onlyRequestedAttributes">;
  /** AttributeConsumingServiceIndex of the request. */
  readonly index: number | undefined;
}

/** The user that the attributes are about. */
export interface AttributeSubject {
  readonly user: Pick<
    HumanUser,
    "id" | "username" | "givenName" | "familyName" | "displayName" | "email" | "isEmailVerified"
  >;
  /** The keys of the roles in the project of the application, in any order; undefined when the project does not assert roles. */
  readonly roleKeys: readonly string[] | undefined;
}

/** Metadata may ask for one thing of ours under several names, or in several formats; so many are told. */
const maxNamesOfSource = 20;
/** Of all attributes of an assertion: what is signed and sent with a login stays within some hundred kilobytes. */
const maxValues = 5000;

/**
 * Decides what an assertion tells of a user: everything under our own names, and what the metadata asks for under the names that it
 * asks with, because there are products that ask for a part of what they need. With a setting it is only the latter. A name with
 * its format is sent once. An attribute without a value is not sent, nor is a value that XML cannot hold: it must not become the
 * value of somebody else. Raises a SamlRefusal RequestDenied when there are more than 5,000 values even of the attributes that are
 * asked for.
 */
export function chooseAttributes(wish: AttributeWish, subject: AttributeSubject): readonly ToldAttribute[] {
  for (const wanted of listWanted(wish)) {
    const told = tell(wanted, subject);
    if (told.reduce((sum, { values }) => sum + values.length, 0) <= maxValues) return told;
  }
  throw new SamlRefusal("RequestDenied");
}

/** Lists what of the user the attributes are made of, if it has values. */
export function listWantedSources(wish: AttributeWish): readonly SamlAttributeSource[] {
  const [widest = []] = listWanted(wish);
  return widest.flatMap((wanted) => ("source" in wanted ? [wanted.source] : []));
}

type Wanted = { readonly name: string; readonly nameFormat: string | undefined } & (
  | { readonly source: SamlAttributeSource }
  | { readonly constant: string }
);

function tell(wanted: readonly Wanted[], subject: AttributeSubject): readonly ToldAttribute[] {
  const told = new Map<string, ToldAttribute>();
  for (const { name, nameFormat, ...from } of wanted) {
    const values = ("source" in from ? valuesOf(from.source, subject) : [from.constant]).filter(
      (value) => value !== "" && isXmlText(value),
    );
    const key = JSON.stringify([name, nameFormat]);
    if (values.length > 0 && !told.has(key)) told.set(key, { name, nameFormat, values });
  }
  return [...told.values()];
}

/** What is wanted, and what is if that is too much. The attributes of the settings decide alone. */
function listWanted({ serviceProvider, settings, index }: AttributeWish): readonly (readonly Wanted[])[] {
  const { attributes, onlyRequestedAttributes } = settings;
  if (attributes.length > 0) return [attributes.map(toWanted)];
  const asked = listAsked(chooseService(serviceProvider.attributeServices, index));
  if (onlyRequestedAttributes) return [asked];
  // Of two attributes with one name, some products refuse the second one, whatever its format, such as python3-saml 1.16.
  const own = samlAttributeSources.filter((source) => !asked.some(({ name }) => name === source));
  const all = own.map((source) => ({ name: source, nameFormat: basicNameFormat, source }));
  return asked.length === 0 ? [all] : [[...all, ...asked], asked];
}

function toWanted(attribute: SamlAttribute): Wanted {
  return { ...attribute, nameFormat: attribute.nameFormat === "" ? basicNameFormat : attribute.nameFormat };
}

function listAsked(service: AttributeService | undefined): readonly Wanted[] {
  const counts = new Map<SamlAttributeSource, number>();
  return (service?.requested ?? []).flatMap(({ name, nameFormat }) => {
    const source = sourceOf(name);
    if (source === undefined) return [];
    const count = (counts.get(source) ?? 0) + 1;
    counts.set(source, count);
    return count > maxNamesOfSource ? [] : [{ name, nameFormat, source }];
  });
}

/** SAML Metadata §2.4.4.1. An index that the metadata does not have counts as none. */
function chooseService(
  services: readonly AttributeService[],
  index: number | undefined,
): AttributeService | undefined {
  return services.find((each) => each.index === index) ?? services.find((each) => each.isDefault);
}

function sourceOf(name: string): SamlAttributeSource | undefined {
  const wanted = name.toLowerCase();
  return samlAttributeSources.find(
    (source) => source.toLowerCase() === wanted || otherNames[source].includes(wanted),
  );
}

const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";

/** What others call our attributes, in small letters: LDAP (RFC 4519, RFC 2798), eduPerson, and Active Directory. */
const otherNames: Readonly<Record<SamlAttributeSource, readonly string[]>> = {
  Email: ["email", "mail", "urn:oid:0.9.2342.19200300.100.1.3", `${claims}/emailaddress`],
  SurName: ["last_name", "sn", "urn:oid:2.5.4.4", `${claims}/surname`],
  FirstName: ["first_name", "givenname", "urn:oid:2.5.4.42", `${claims}/givenname`],
  FullName: ["name", "displayname", "urn:oid:2.16.840.1.113730.3.1.241", `${claims}/name`],
  UserName: ["uid", "urn:oid:0.9.2342.19200300.100.1.1"],
  UserID: [],
  Roles: ["roles", "groups", "urn:oid:1.3.6.1.4.1.5923.1.5.1.1"],
};

function valuesOf(source: SamlAttributeSource, { user, roleKeys = [] }: AttributeSubject): readonly string[] {
  switch (source) {
    case "Email":
      return user.isEmailVerified ? [user.email] : [];
    case "SurName":
      return [user.familyName];
    case "FirstName":
      return [user.givenName];
    case "FullName":
      return [user.displayName === "" ? `${user.givenName} ${user.familyName}`.trim() : user.displayName];
    case "UserName":
      return [user.username];
    case "UserID":
      return [user.id];
    case "Roles":
      return [...new Set(roleKeys)].toSorted();
  }
}
