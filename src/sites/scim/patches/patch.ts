import { matchesElement } from "../filters/match-filter.ts";
import type { Filter } from "../filters/filter.ts";
import { parseElementPath } from "../filters/parse-filter.ts";
import { refusal } from "../errors/scim-error.ts";
import {
  type Attribute,
  findAttribute,
  findNamed,
  type FoundAttribute,
  type ResourceType,
} from "../schemas/attribute.ts";
import { readSingle, readValue, settlePrimary } from "../schemas/read-value.ts";
import {
  elementsOf,
  isMembers,
  type Json,
  type JsonMembers,
  type ScimResource,
} from "../schemas/resource.ts";
import type { PatchOperation } from "./operations.ts";

/** The place that a path names. */
export interface PatchTarget extends FoundAttribute {
  /** The filter in brackets; undefined: there are none. */
  readonly filter: Filter | undefined;
}

/** Finds what a path names (RFC 7644 §3.5.2). Raises invalidPath; invalidFilter for what is in brackets. */
function findPatchTarget(type: ResourceType, path: string): PatchTarget {
  if (!path.includes("[")) {
    const found = findAttribute(type, path);
    if (found === undefined) throw refusal("invalidPath", `there is no attribute ${JSON.stringify(path)}`);
    return { ...found, filter: undefined };
  }
  const { of, filter, sub: name } = parseElementPath(type, path);
  const sub = name === undefined ? undefined : findNamed(of.attribute.subAttributes ?? [], name);
  if ((name !== undefined && sub === undefined) || of.attribute.multiValued !== true)
    throw refusal("invalidPath", `there is no attribute ${JSON.stringify(path)}`);
  return { ...of, filter, sub };
}

/**
 * Does operations one after the other, and returns the resource that they lead to. Raises invalidPath, noTarget, mutability,
 * invalidValue.
 */
export function patchResource(
  type: ResourceType,
  whole: ScimResource,
  operations: readonly PatchOperation[],
): ScimResource {
  const resource = structuredClone(whole);
  for (const { op, path, value } of operations) {
    if (path !== undefined) {
      change(resource, { op, value, target: findPatchTarget(type, path), isStrict: true });
      continue;
    }
    if (op === "remove") throw refusal("noTarget", "remove needs a path");
    if (!isMembers(value)) throw refusal("invalidValue", `${op} without a path needs an object`);
    // Microsoft Entra writes `name.givenName` and `urn:…:User:department` as keys; Okta repeats what nobody may change, such as `id`.
    for (const [key, each] of Object.entries(value)) {
      const found = findAttribute(type, key);
      if (found !== undefined)
        change(resource, { op, value: each, target: { ...found, filter: undefined }, isStrict: false });
    }
  }
  requireKept(type, resource);
  return resource;
}

interface Change {
  readonly op: PatchOperation["op"];
  readonly value: Json | undefined;
  readonly target: PatchTarget;
  /** Whether what is read-only is refused, and not left out. */
  readonly isStrict: boolean;
}

function change(resource: ScimResource, step: Change): void {
  const { extension, attribute, sub } = step.target;
  if (attribute === undefined) {
    changeExtension(resource, step);
    return;
  }
  if ([attribute, sub].some((each) => each?.mutability === "readOnly")) {
    if (step.isStrict) throw refusal("mutability", `${(sub ?? attribute).name} is read-only`);
    return;
  }
  const into = extension === undefined ? resource : membersOf(resource, extension.id);
  const before = into[attribute.name];
  const after =
    attribute.multiValued === true
      ? changeList(attribute, elementsOf(before), step)
      : changeSingle(attribute, before, step);
  if (after === undefined || (Array.isArray(after) && after.length === 0)) delete into[attribute.name];
  else into[attribute.name] = after;
  if (extension !== undefined && Object.keys(into).length === 0) delete resource[extension.id];
}

/** All attributes of an extension at once. */
function changeExtension(resource: ScimResource, { op, value, target, isStrict }: Change): void {
  const { extension } = target;
  if (extension === undefined) return;
  if (op === "remove") {
    delete resource[extension.id];
    return;
  }
  if (!isMembers(value)) throw refusal("invalidValue", `${extension.id} must be an object`);
  for (const [name, each] of Object.entries(value)) {
    const attribute = findNamed(extension.attributes, name);
    if (attribute === undefined) continue;
    change(resource, {
      op,
      value: each,
      target: { extension, attribute, sub: undefined, filter: undefined },
      isStrict,
    });
  }
}

function changeSingle(
  attribute: Attribute,
  before: Json | undefined,
  { op, value, target }: Change,
): Json | undefined {
  const { sub } = target;
  if (sub === undefined) {
    if (op === "remove") return undefined;
    const read = readValue(attribute, value);
    // RFC 7644 §3.5.2.1, §3.5.2.3: the parts that are not named stay.
    return isMembers(read) && isMembers(before) ? { ...before, ...read } : read;
  }
  const members: JsonMembers = isMembers(before) ? { ...before } : {};
  setPart(members, sub, op === "remove" ? undefined : value);
  return Object.keys(members).length === 0 ? undefined : members;
}

function changeList(attribute: Attribute, before: readonly Json[], step: Change): Json[] | undefined {
  const { op, value, target } = step;
  if (target.filter !== undefined) return changeSome(attribute, before, { ...step, filter: target.filter });
  if (target.sub !== undefined) return changeParts(before, { ...step, sub: target.sub });
  switch (op) {
    case "replace":
      return elementsOf(readValue(attribute, value)).slice();
    case "add":
      return addElements(before, elementsOf(readValue(attribute, value)));
    case "remove": {
      // Microsoft Entra names the values to remove beside a path without brackets.
      const named = elementsOf(readValue(attribute, value));
      return named.length === 0
        ? []
        : before.filter((each) => !named.some((one) => isSameElement(each, one)));
    }
  }
}

/** Adds elements that are not there yet. A new primary one takes the place of the former one. */
function addElements(before: readonly Json[], added: readonly Json[]): Json[] {
  const fresh = added.filter((each) => !before.some((one) => JSON.stringify(one) === JSON.stringify(each)));
  const kept = before.filter(
    (each) => !fresh.some((one) => isSameElement(each, one) && isSameType(each, one)),
  );
  return settlePrimary([...kept, ...fresh]);
}

function isSameElement(one: Json, other: Json): boolean {
  const valueOf = (each: Json) => (isMembers(each) ? each["value"] : each);
  return valueOf(one) !== undefined && valueOf(one) === valueOf(other);
}

function isSameType(one: Json, other: Json): boolean {
  return isMembers(one) && isMembers(other) && one["type"] === other["type"];
}

/** A sub-attribute of all elements. */
function changeParts(
  before: readonly Json[],
  { op, value, sub }: Change & { readonly sub: Attribute },
): Json[] {
  const elements = before.length === 0 && op !== "remove" ? [{}] : before;
  return settlePrimary(elements.flatMap((each) => withPart(each, sub, op === "remove" ? undefined : value)));
}

/** The elements that meet the filter in brackets. */
function changeSome(
  attribute: Attribute,
  before: readonly Json[],
  { op, value, target: { sub }, filter }: Change & { readonly filter: Filter },
): Json[] {
  const isMeant = before.map((each) => matchesElement(filter, each));
  if (!isMeant.includes(true)) {
    if (op === "remove") return [...before];
    // RFC 7644 §3.5.2.3: nothing fits, so there is nothing to replace.
    if (op === "replace")
      throw refusal("noTarget", `no value of ${attribute.name} fits the filter of the path`);
    const made = withPart(equalitiesOf(filter), sub ?? attribute, value, sub === undefined);
    return settlePrimary([...before, ...made]);
  }
  const changed = before.flatMap((each, index) => {
    if (isMeant[index] !== true) return [each];
    if (op === "remove") return sub === undefined ? [] : withPart(each, sub, undefined);
    return withPart(each, sub ?? attribute, value, sub === undefined);
  });
  return settlePrimary(changed);
}

/** What a new element has by the filter that is to find it: `type eq "work"` makes the type. */
function equalitiesOf(filter: Filter): JsonMembers {
  switch (filter.kind) {
    case "and":
      return Object.assign({}, ...filter.parts.map(equalitiesOf)) as JsonMembers;
    case "compare":
      return filter.by === "eq" && filter.of.sub !== undefined && filter.value !== null
        ? { [filter.of.sub.name]: filter.value }
        : {};
    default:
      return {};
  }
}

/** Sets a part of an element, or with `isWhole` all parts that the value has. Nothing is left of an element without parts. */
function withPart(element: Json, attribute: Attribute, value: Json | undefined, isWhole = false): Json[] {
  const members: JsonMembers = isMembers(element) ? { ...element } : { value: element };
  if (!isWhole) setPart(members, attribute, value);
  else Object.assign(members, value === undefined ? {} : readSingle(attribute, value));
  return Object.keys(members).length === 0 ? [] : [members];
}

function setPart(members: JsonMembers, sub: Attribute, value: Json | undefined): void {
  const read = value === undefined ? undefined : readValue(sub, value);
  if (read === undefined) delete members[sub.name];
  else members[sub.name] = read;
}

/** RFC 7644 §3.5.2.2: a required attribute cannot be removed. */
function requireKept(type: ResourceType, resource: ScimResource): void {
  for (const { name, required, subAttributes = [], multiValued } of type.schema.attributes) {
    const value = resource[name];
    if (required === true && value === undefined) throw refusal("mutability", `${name} is required`);
    if (multiValued === true || !isMembers(value)) continue;
    const missing = subAttributes.find((sub) => sub.required === true && value[sub.name] === undefined);
    if (missing !== undefined) throw refusal("mutability", `${name}.${missing.name} is required`);
  }
}

function membersOf(of: JsonMembers, name: string): JsonMembers {
  const found = of[name];
  if (isMembers(found)) return found;
  const made: JsonMembers = {};
  of[name] = made;
  return made;
}
