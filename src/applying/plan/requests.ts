import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { requestOf } from "../kinds/fields.ts";
import type { FilePlace, ItemCase, ObjectKind } from "../kinds/object-kind.ts";
import type { FieldChange, PlannedItem } from "./planned-change.ts";

/** An object of which calls are made. */
export interface CalledObject {
  readonly kind: ObjectKind;
  readonly place: FilePlace;
  /** Its id, or the reference to it. */
  readonly id: string;
  readonly settings: JsonObject;
}

/** Fills the request of a call with the ids and settings that it takes. */
export function fillRequest(
  item: ItemCase,
  { kind, place, id, settings }: CalledObject,
  cleared: readonly string[] = [],
): JsonObject {
  const request: JsonObject = {};
  for (const { name } of requestOf(item).fields) {
    const value = valueOf(name, { kind, place, id, settings });
    if (value !== undefined) request[name] = value;
    if (name.startsWith("remove_") && cleared.includes(name.slice("remove_".length))) request[name] = true;
  }
  return request;
}

function valueOf(name: string, { kind, place, id, settings }: CalledObject): JsonValue | undefined {
  const owner = kind.path?.[name];
  if (owner !== undefined) return place.ids[owner];
  if (name === kind.own) return id;
  return kind.fixed?.[name] ?? settings[name];
}

/** Returns the calls that make an object. */
export function addItems(
  called: CalledObject,
  {
    bulkId,
    changes,
    isActive,
  }: {
    readonly bulkId: string;
    readonly changes: readonly FieldChange[];
    readonly isActive: boolean | undefined;
  },
): readonly PlannedItem[] {
  const { kind } = called;
  if (kind.add === undefined) return updateItems(called, { changes, cleared: [], isNew: true });
  const taken = new Set(requestOf(kind.add).fields.map(({ name }) => name));
  const rest = changes.filter(({ root }) => !taken.has(root));
  return [
    { item: kind.add, request: fillRequest(kind.add, called), bulkId },
    ...updateItems(called, { changes: rest, cleared: [] }),
    ...(isActive === false ? switchItems(called, isActive) : []),
  ];
}

/** Returns the calls that change an object; `isNew`: they make it, whatever changes. */
export function updateItems(
  called: CalledObject,
  {
    changes,
    cleared,
    isNew = false,
  }: {
    readonly changes: readonly FieldChange[];
    readonly cleared: readonly string[];
    readonly isNew?: boolean;
  },
): readonly PlannedItem[] {
  const { kind } = called;
  const roots = new Set(changes.map(({ root }) => root));
  const items = kind.updates.flatMap((item): readonly PlannedItem[] => {
    const of = requestOf(item).fields.flatMap(({ name }) => (roots.has(name) ? [name] : []));
    return of.length > 0 || isNew
      ? [{ item, request: fillRequest(item, called, cleared), ...(isNew ? {} : { of }) }]
      : [];
  });
  if (kind.finish === undefined || items.length === 0) return items;
  const of = isNew ? undefined : [...roots];
  return [...items, { item: kind.finish, request: {}, of }];
}

/** Returns the call that gives an object its state. */
export function switchItems(called: CalledObject, isActive: boolean): readonly PlannedItem[] {
  const { switches } = called.kind;
  if (switches === undefined) return [];
  const item = isActive ? switches.reactivate : switches.deactivate;
  return [{ item, request: fillRequest(item, called) }];
}
