import { refusal } from "../errors/scim-error.ts";
import { coreAttributes, findAttribute, type ResourceType } from "./attribute.ts";
import { isMembers, type Json, type JsonMembers, type ScimResource } from "./resource.ts";

/** Which attributes an answer has (RFC 7644 §3.9). At most one of the two is given. */
export interface Shown {
  readonly attributes: readonly string[] | undefined;
  readonly excluded: readonly string[] | undefined;
}

/**
 * Reads the parameters `attributes` and `excludedAttributes`: names with commas between them. Unknown names are left out. Raises
 * invalidValue if both are given.
 */
export function readShown(attributes: string | undefined, excluded: string | undefined): Shown {
  const split = (names: string | undefined) =>
    names === undefined || names.trim() === "" ? undefined : names.split(",").map((each) => each.trim());
  const shown = { attributes: split(attributes), excluded: split(excluded) };
  if (shown.attributes !== undefined && shown.excluded !== undefined)
    throw refusal("invalidValue", "attributes and excludedAttributes must not be sent together");
  return shown;
}

/** Says whether an answer has any of an attribute. */
export function isAttributeShown(type: ResourceType, { attributes, excluded }: Shown, name: string): boolean {
  const names = (list: readonly string[]) =>
    list.map((each) => findAttribute(type, each)).filter((each) => each?.attribute?.name === name);
  if (attributes !== undefined) return names(attributes).length > 0;
  return excluded === undefined || names(excluded).every((each) => each?.sub !== undefined);
}

/** Leaves out what the answer shall not have. `schemas`, `id` and whatever else is always returned stay. */
export function showResource(
  type: ResourceType,
  { attributes, excluded }: Shown,
  whole: ScimResource,
): ScimResource {
  if (attributes !== undefined) return pick(type, attributes, whole);
  if (excluded === undefined) return whole;
  const left = structuredClone(whole);
  for (const path of excluded) takeOut(type, left, path);
  return left;
}

function pick(type: ResourceType, names: readonly string[], whole: ScimResource): ScimResource {
  const always = coreAttributes(type).filter(({ returned }) => returned === "always");
  const shown: ScimResource = {};
  for (const name of ["schemas", ...always.map((each) => each.name)])
    if (whole[name] !== undefined) shown[name] = whole[name];
  for (const path of names) {
    const found = findAttribute(type, path);
    if (found === undefined) continue;
    const { extension, attribute, sub } = found;
    const from = extension === undefined ? whole : whole[extension.id];
    if (!isMembers(from)) continue;
    if (extension !== undefined && attribute === undefined) shown[extension.id] = from;
    const value = attribute && from[attribute.name];
    if (attribute === undefined || value === undefined) continue;
    const into = extension === undefined ? shown : membersOf(shown, extension.id);
    into[attribute.name] = sub === undefined ? value : merged(into[attribute.name], value, sub.name);
  }
  return shown;
}

function takeOut(type: ResourceType, left: ScimResource, path: string): void {
  const found = findAttribute(type, path);
  if (found === undefined) return;
  const { extension, attribute, sub } = found;
  if (attribute === undefined) {
    if (extension !== undefined) delete left[extension.id];
    return;
  }
  const from = extension === undefined ? left : left[extension.id];
  if (attribute.returned === "always" || !isMembers(from)) return;
  if (sub === undefined) delete from[attribute.name];
  else for (const each of [from[attribute.name] ?? []].flat()) if (isMembers(each)) delete each[sub.name];
}

function membersOf(of: JsonMembers, name: string): JsonMembers {
  const found = of[name];
  if (isMembers(found)) return found;
  const made: JsonMembers = {};
  of[name] = made;
  return made;
}

/** Adds a sub-attribute to what is shown of a complex value, or of each value of a list. */
function merged(shown: Json | undefined, whole: Json, name: string): Json {
  if (Array.isArray(whole))
    return whole.map((each, index) => merged(Array.isArray(shown) ? shown[index] : undefined, each, name));
  if (!isMembers(whole)) return whole;
  const value = whole[name];
  return { ...(isMembers(shown) ? shown : {}), ...(value === undefined ? {} : { [name]: value }) };
}
