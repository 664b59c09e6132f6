import { matchesElement } from "../filters/match-filter.ts";
import type { Filter } from "../filters/filter.ts";
import { parseElementPath } from "../filters/parse-filter.ts";
import { refusal } from "../errors/scim-error.ts";
import type { PatchOperation } from "../patches/operations.ts";
import { findAttribute, findNamed } from "../schemas/attribute.ts";
import { groupType } from "../schemas/group-schema.ts";
import { readValue } from "../schemas/read-value.ts";
import { elementsOf, isMembers, type Json, plainTextOf } from "../schemas/resource.ts";
import type { ScimMember } from "./repository.ts";

/** A change of the members of a group. */
export type MemberChange =
  | { readonly kind: "add" | "remove" | "replace"; readonly ids: readonly string[] }
  /** Removes the members that meet a filter, for which all have to be known. */
  | { readonly kind: "remove-found"; readonly filter: Filter };

/** Separates what a PATCH does to the members from what it does to the group itself. Raises invalidPath, mutability, invalidValue. */
export function splitOperations(operations: readonly PatchOperation[]): {
  readonly ofGroup: readonly PatchOperation[];
  readonly ofMembers: readonly MemberChange[];
} {
  const ofGroup: PatchOperation[] = [];
  const ofMembers: MemberChange[] = [];
  for (const operation of operations) {
    const { op, path, value } = operation;
    if (path !== undefined) {
      const changed = toMemberChange(operation);
      if (changed === undefined) ofGroup.push(operation);
      else ofMembers.push(changed);
      continue;
    }
    const key = isMembers(value) ? Object.keys(value).find((name) => isMembersPath(name)) : undefined;
    if (!isMembers(value) || key === undefined || op === "remove") ofGroup.push(operation);
    else {
      const { [key]: members, ...others } = value;
      ofGroup.push({ op, path, value: others });
      ofMembers.push({ kind: op, ids: readMemberIds(members) });
    }
  }
  return { ofGroup, ofMembers };
}

/** Reads the ids of members of a resource, each once. */
export function readMemberIds(given: Json | undefined): readonly string[] {
  const attribute = findNamed(groupType.schema.attributes, "members");
  const read = attribute === undefined ? undefined : readValue(attribute, given);
  const ids = elementsOf(read).map((each) => (isMembers(each) ? plainTextOf(each["value"]) : undefined));
  return [...new Set(ids.map((id) => id ?? raiseNoValue()))];
}

/** Returns the ids of the members that meet a filter in brackets. */
export function findMemberIds(filter: Filter, members: readonly ScimMember[]): readonly string[] {
  return members
    .filter(({ id, kind }) => matchesElement(filter, { value: id, type: kind }))
    .map(({ id }) => id);
}

function isMembersPath(path: string): boolean {
  return findAttribute(groupType, path)?.attribute?.name === "members";
}

function toMemberChange({ op, path = "", value }: PatchOperation): MemberChange | undefined {
  if (!path.includes("[")) {
    if (!isMembersPath(path)) return undefined;
    if (path.includes("members.")) throw refusal("mutability", "members are added and removed as a whole");
    // Without values, remove empties the group; Microsoft Entra names whom to remove.
    if (op === "remove" && readMemberIds(value).length === 0) return { kind: "replace", ids: [] };
    return { kind: op, ids: readMemberIds(value) };
  }
  const { of, filter, sub } = parseElementPath(groupType, path);
  if (of.attribute.name !== "members")
    throw refusal("invalidPath", `there is no list ${JSON.stringify(path)}`);
  if (op !== "remove" || sub !== undefined)
    throw refusal("mutability", "members are added and removed as a whole");
  const isOne = filter.kind === "compare" && filter.by === "eq" && filter.of.sub?.name === "value";
  return isOne ? { kind: "remove", ids: [String(filter.value)] } : { kind: "remove-found", filter };
}

function raiseNoValue(): never {
  throw refusal("invalidValue", "a member needs a value, its id");
}
