import { refusal } from "../errors/scim-error.ts";
import {
  type Attribute,
  coreAttributes,
  findNamed,
  type ResourceType,
  type ScimSchema,
} from "./attribute.ts";
import { isMembers, type Json, type JsonMembers, type ScimResource } from "./resource.ts";

/** So many values may a list have, unless it is of members. */
const maxElements = 100;
/** A request may name so many members at once. */
const maxMembers = 100_000;

/**
 * Reads a resource of a request (RFC 7644 §3.3, §3.5.1). Attributes that are read-only or unknown are left out, and so are null, "" and
 * []. Raises invalidValue for a value of a wrong type, and for a required attribute that is missing.
 */
export function readResource(type: ResourceType, given: JsonMembers): ScimResource {
  const resource: ScimResource = readMembers(coreAttributes(type), given);
  for (const schema of type.extensions) {
    const members = readExtension(schema, given);
    if (members !== undefined) resource[schema.id] = members;
  }
  requireAll(type, resource);
  return resource;
}

/**
 * Reads a value of an attribute; undefined: it has none. `"True"` is a boolean, because Microsoft Entra writes it so. A text in place of
 * a complex value is its `value`, and a single value in place of a list is a list. Raises invalidValue.
 */
export function readValue(attribute: Attribute, given: Json | undefined): Json | undefined {
  if (given === undefined || given === null || given === "") return undefined;
  if (attribute.multiValued !== true) return readSingle(attribute, given);
  const elements = Array.isArray(given) ? given : [given];
  if (elements.length > (attribute.name === "members" ? maxMembers : maxElements))
    throw refusal("invalidValue", `${attribute.name} has too many values`);
  const read = elements.flatMap((each) => readSingle(attribute, each) ?? []);
  return read.length === 0 ? undefined : settlePrimary(read);
}

/** Reads one element of a list, or the value of a single attribute. Raises invalidValue. */
export function readSingle(attribute: Attribute, given: Json): Json | undefined {
  const { name, type, subAttributes = [] } = attribute;
  if (given === null || given === "") return undefined;
  switch (type) {
    case "boolean":
      return readBoolean(name, given);
    case "complex": {
      if (typeof given === "string" && findNamed(subAttributes, "value") !== undefined)
        return { value: given };
      if (!isMembers(given)) throw refusal("invalidValue", `${name} must be an object`);
      const read = readMembers(subAttributes, given);
      return Object.keys(read).length === 0 ? undefined : read;
    }
    case "string":
    case "dateTime":
    case "reference":
      if (typeof given !== "string") throw refusal("invalidValue", `${name} must be a text`);
      return given;
  }
}

/** Reads the attributes of an extension, which are below its URI. */
function readExtension(schema: ScimSchema, given: JsonMembers): JsonMembers | undefined {
  const key = Object.keys(given).find((each) => each.toLowerCase() === schema.id.toLowerCase());
  const members = key === undefined ? undefined : given[key];
  if (members === undefined || members === null) return undefined;
  if (!isMembers(members)) throw refusal("invalidValue", `${schema.id} must be an object`);
  const read = readMembers(schema.attributes, members);
  return Object.keys(read).length === 0 ? undefined : read;
}

function readMembers(attributes: readonly Attribute[], given: JsonMembers): JsonMembers {
  const read: JsonMembers = {};
  for (const [key, value] of Object.entries(given)) {
    const attribute = findNamed(attributes, key);
    if (attribute === undefined || attribute.mutability === "readOnly") continue;
    const known = readValue(attribute, value);
    if (known !== undefined) read[attribute.name] = known;
  }
  return read;
}

function readBoolean(name: string, given: Json): boolean {
  if (typeof given === "boolean") return given;
  const text = typeof given === "string" ? given.toLowerCase() : "";
  if (text === "true" || text === "false") return text === "true";
  throw refusal("invalidValue", `${name} must be true or false`);
}

/** RFC 7643 §2.4: at most one value is primary; of several, the last one that says so. */
export function settlePrimary(elements: readonly Json[]): Json[] {
  const last = elements.findLastIndex((each) => isMembers(each) && each["primary"] === true);
  return elements.map((each, index) =>
    isMembers(each) && each["primary"] === true && index !== last ? { ...each, primary: false } : each,
  );
}

/** Raises invalidValue for a required attribute that has no value. */
function requireAll(type: ResourceType, resource: JsonMembers): void {
  for (const { name, required, hasDefault, subAttributes = [], multiValued } of coreAttributes(type)) {
    const value = resource[name];
    if (required === true && hasDefault !== true && value === undefined)
      throw refusal("invalidValue", `${name} is required`);
    if (multiValued === true || !isMembers(value)) continue;
    const missing = subAttributes.find((sub) => sub.required === true && value[sub.name] === undefined);
    if (missing !== undefined) throw refusal("invalidValue", `${name}.${missing.name} is required`);
  }
}
