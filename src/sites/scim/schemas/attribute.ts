/** The types of RFC 7643 §2.3 that our schemas use. */
export type AttributeType = "string" | "boolean" | "dateTime" | "reference" | "complex";

/** An attribute with its characteristics (RFC 7643 §2.2). What is absent has the default that is named. */
export interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
  readonly description: string;
  /** Default: false. */
  readonly multiValued?: true;
  /** Default: false. */
  readonly required?: true;
  /** Default: false. */
  readonly caseExact?: true;
  /** Whether the service has a value for a required attribute that a client leaves out. Default: false. */
  readonly hasDefault?: true;
  /** Default: readWrite. */
  readonly mutability?: "readOnly" | "immutable" | "writeOnly";
  /** Default: default. */
  readonly returned?: "always" | "never";
  /** Default: none. */
  readonly uniqueness?: "server";
  /** Values that clients may choose from; others are accepted. */
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

/** A schema: attributes by the URI that names them. */
export interface ScimSchema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** A type of resources, with the schemas of its attributes. */
export interface ResourceType {
  readonly name: "User" | "Group";
  /** The last part of its path. */
  readonly endpoint: "Users" | "Groups";
  readonly description: string;
  readonly schema: ScimSchema;
  readonly extensions: readonly ScimSchema[];
}

/** An attribute that a path names. */
export interface FoundAttribute {
  /** The schema of an extension; undefined: the attribute is at the top. */
  readonly extension: ScimSchema | undefined;
  /** Undefined: the path names the extension as a whole. */
  readonly attribute: Attribute | undefined;
  readonly sub: Attribute | undefined;
}

/** The attributes that every resource has (RFC 7643 §3.1). */
const commonAttributes: readonly Attribute[] = [
  {
    name: "id",
    type: "string",
    description: "Id of the resource, assigned by the service.",
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server",
  },
  {
    name: "externalId",
    type: "string",
    description: "Id of the resource in the system of the client. Each service user has ids of its own.",
    caseExact: true,
  },
  {
    name: "meta",
    type: "complex",
    description: "What the service knows about the resource.",
    mutability: "readOnly",
    subAttributes: [
      { name: "resourceType", type: "string", description: "Type.", caseExact: true, mutability: "readOnly" },
      { name: "created", type: "dateTime", description: "When it was added.", mutability: "readOnly" },
      {
        name: "lastModified",
        type: "dateTime",
        description: "When it last changed.",
        mutability: "readOnly",
      },
      { name: "location", type: "reference", description: "URL.", caseExact: true, mutability: "readOnly" },
      { name: "version", type: "string", description: "ETag.", caseExact: true, mutability: "readOnly" },
    ],
  },
];

/** Lists the attributes of a resource that are not in an extension. */
export function coreAttributes({ schema }: ResourceType): readonly Attribute[] {
  return [...commonAttributes, ...schema.attributes];
}

/** Finds the attribute that a path without brackets names, in whatever case (RFC 7644 §3.10); undefined: there is none. */
export function findAttribute(type: ResourceType, path: string): FoundAttribute | undefined {
  const lower = path.toLowerCase();
  for (const schema of [type.schema, ...type.extensions]) {
    const id = schema.id.toLowerCase();
    const extension = schema === type.schema ? undefined : schema;
    if (lower === id && extension !== undefined) return { extension, attribute: undefined, sub: undefined };
    if (!lower.startsWith(`${id}:`)) continue;
    const attributes = extension === undefined ? coreAttributes(type) : schema.attributes;
    return findIn(attributes, path.slice(id.length + 1), extension);
  }
  return findIn(coreAttributes(type), path, undefined);
}

/** Finds an attribute by its name, in whatever case. */
export function findNamed(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const lower = name.toLowerCase();
  return attributes.find((each) => each.name.toLowerCase() === lower);
}

function findIn(
  attributes: readonly Attribute[],
  path: string,
  extension: ScimSchema | undefined,
): FoundAttribute | undefined {
  const [name = "", subName, ...rest] = path.split(".");
  const attribute = findNamed(attributes, name);
  if (attribute === undefined || rest.length > 0) return undefined;
  if (subName === undefined) return { extension, attribute, sub: undefined };
  const sub = findNamed(attribute.subAttributes ?? [], subName);
  return sub && { extension, attribute, sub };
}
