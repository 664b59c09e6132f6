import { maxCount, defaultCount } from "../lists/list-query.ts";
import { bulkLimits } from "./bulk.ts";
import type { Attribute, ResourceType, ScimSchema } from "../schemas/attribute.ts";
import type { JsonMembers, ScimResource } from "../schemas/resource.ts";

const coreUri = "urn:ietf:params:scim:schemas:core:2.0";

/** Says what the service can (RFC 7643 §5, RFC 9865 §4). */
export function toServiceProviderConfig(baseUrl: string): ScimResource {
  return {
    schemas: [`${coreUri}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: true, ...bulkLimits },
    filter: { supported: true, maxResults: maxCount },
    changePassword: { supported: true },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: "index",
      defaultPageSize: defaultCount,
      maxPageSize: maxCount,
    },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "OAuth Bearer Token",
        description: "A token of a service user, in the header Authorization.",
        specUri: "https://www.rfc-editor.org/info/rfc6750",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${baseUrl}/ServiceProviderConfig` },
  };
}

/** Describes a type of resources (RFC 7643 §6). */
export function describeType(
  { name, endpoint, description, schema, extensions }: ResourceType,
  baseUrl: string,
): ScimResource {
  return {
    schemas: [`${coreUri}:ResourceType`],
    id: name,
    name,
    endpoint: `/${endpoint}`,
    description,
    schema: schema.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: "ResourceType", location: `${baseUrl}/ResourceTypes/${name}` },
  };
}

/** Describes a schema (RFC 7643 §7). */
export function describeSchema(
  { id, name, description, attributes }: ScimSchema,
  baseUrl: string,
): ScimResource {
  return {
    schemas: [`${coreUri}:Schema`],
    id,
    name,
    description,
    attributes: attributes.map(describeAttribute),
    meta: { resourceType: "Schema", location: `${baseUrl}/Schemas/${id}` },
  };
}

function describeAttribute(attribute: Attribute): JsonMembers {
  const { name, type, description, canonicalValues, referenceTypes, subAttributes } = attribute;
  return {
    name,
    type,
    multiValued: attribute.multiValued ?? false,
    description,
    required: attribute.required ?? false,
    caseExact: attribute.caseExact ?? false,
    mutability: attribute.mutability ?? "readWrite",
    returned: attribute.returned ?? "default",
    uniqueness: attribute.uniqueness ?? "none",
    ...(canonicalValues === undefined ? {} : { canonicalValues: [...canonicalValues] }),
    ...(referenceTypes === undefined ? {} : { referenceTypes: [...referenceTypes] }),
    ...(subAttributes === undefined ? {} : { subAttributes: subAttributes.map(describeAttribute) }),
  };
}
