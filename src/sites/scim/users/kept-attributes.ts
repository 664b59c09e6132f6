import { enterpriseUri } from "../schemas/user-schema.ts";
import { isMembers, type Json, type ScimResource } from "../schemas/resource.ts";

/** An attribute that only SCIM knows: it is kept in the metadata of the user. */
export interface KeptAttribute {
  /** The name in the metadata. */
  readonly key: string;
  /** Where it is in a resource: the extension, or nothing, the attribute, and its part. */
  readonly extension: string | undefined;
  readonly name: string;
  readonly sub: string | undefined;
  /** Whether the value is kept as JSON, because it is a list. */
  readonly isJson: boolean;
}

const kept = (name: string, more: Partial<KeptAttribute> = {}): KeptAttribute => ({
  key: `scim.${name}${more.sub === undefined ? "" : `.${more.sub}`}`,
  extension: undefined,
  name,
  sub: undefined,
  isJson: false,
  ...more,
});

const inEnterprise = { extension: enterpriseUri } as const;

/** Where the addresses of a user are, if there is more to say than the address of the account. */
export const emailsKey = "scim.emails";

/** All attributes that are kept in metadata. */
export const keptAttributes: readonly KeptAttribute[] = [
  ...["formatted", "middleName", "honorificPrefix", "honorificSuffix"].map((sub) => kept("name", { sub })),
  ...["nickName", "profileUrl", "title", "userType", "locale", "timezone"].map((name) => kept(name)),
  kept("emails", { isJson: true }),
  kept("phoneNumbers", { isJson: true }),
  kept("addresses", { isJson: true }),
  ...["employeeNumber", "costCenter", "organization", "division", "department"].map((name) =>
    kept(name, inEnterprise),
  ),
  kept("manager", { ...inEnterprise, sub: "value", key: "scim.manager" }),
];

/** Returns the name in the metadata under which a service user keeps its id of a user. */
export function externalIdKey(serviceUserId: string): string {
  return `scim.externalId.${serviceUserId}`;
}

/** Reads a kept attribute of a resource as the text that metadata hold; undefined: it has no value. */
export function keptTextOf(
  { extension, name, sub, isJson }: KeptAttribute,
  resource: ScimResource,
): string | undefined {
  const from = extension === undefined ? resource : resource[extension];
  const value = isMembers(from) ? from[name] : undefined;
  const part = sub === undefined ? value : isMembers(value) ? value[sub] : undefined;
  if (part === undefined || part === null) return undefined;
  if (isJson) return JSON.stringify(part);
  return typeof part === "string" ? part : undefined;
}

/** Puts a kept text into a resource. What is not JSON where it should be was not written by SCIM, and is left out. */
export function putKept(attribute: KeptAttribute, resource: ScimResource, text: string): void {
  const { extension, name, sub, isJson } = attribute;
  const value = isJson ? parseList(text) : text;
  if (value === undefined || value === "") return;
  const into = extension === undefined ? resource : membersAt(resource, extension);
  if (sub === undefined) into[name] = value;
  else membersAt(into, name)[sub] = value;
}

function membersAt(of: ScimResource, name: string): ScimResource {
  const found = of[name];
  if (isMembers(found)) return found;
  const made: ScimResource = {};
  of[name] = made;
  return made;
}

function parseList(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return Array.isArray(value) && value.length > 0 && value.every(isMembers) ? value : undefined;
  } catch {
    return undefined;
  }
}
