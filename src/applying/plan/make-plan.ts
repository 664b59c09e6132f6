import type { JsonObject } from "@bufbuild/protobuf";
import type { Spot } from "../file/mistakes.ts";
import type { WantedList, WantedObject } from "../file/wanted.ts";
import type { FilePlace, ObjectKind, StoredObject } from "../kinds/object-kind.ts";
import { comparedName } from "../kinds/fold.ts";
import { labelOf } from "../naming/labels.ts";
import { findName } from "../naming/names.ts";
import { bulkPrefix } from "../naming/references.ts";
import type { ServiceReader } from "../reading/reader.ts";
import { compareField, mergeSettings } from "./compare.ts";
import type { FieldChange, PlannedChange } from "./planned-change.ts";
import { addItems, fillRequest, switchItems, updateItems } from "./requests.ts";
import { resolveObject, type Resolving, type StatedSettings } from "./resolve.ts";

/** What planning works with. */
export interface Planning extends Resolving {
  readonly reader: ServiceReader;
  /** Whether objects of owned lists that the file does not have are removed. */
  readonly isPruning: boolean;
}

/** The changes that would make the service what the file says. */
export interface Plan {
  readonly changes: readonly PlannedChange[];
  /** How many objects of owned lists stay that the file does not have. */
  readonly unpruned: number;
}

/** A list that is still to be planned, and where it stands. */
interface Work {
  readonly list: WantedList;
  readonly place: FilePlace;
}

interface Progress extends Planning {
  readonly changes: PlannedChange[];
  readonly waiting: Work[];
  unpruned: number;
  made: number;
}

/** Compares the file with the service. Throws ConfigurationError for names that are not there. */
export async function makePlan(planning: Planning, wanted: readonly WantedList[]): Promise<Plan> {
  const root: FilePlace = { organizationId: "", ids: {}, isNew: false, label: "" };
  const waiting = wanted.map((list) => ({ list, place: root }));
  const progress: Progress = { ...planning, changes: [], waiting, unpruned: 0, made: 0 };
  for (let work = takeNext(waiting); work !== undefined; work = takeNext(waiting))
    await planList(progress, work);
  planning.mistakes.throwIfAny();
  return { changes: progress.changes, unpruned: progress.unpruned };
}

/** Takes a list of the earliest kind: what it refers to has been planned. */
function takeNext(waiting: Work[]): Work | undefined {
  const orders = waiting.map(({ list }) => list.kind.order);
  const index = orders.indexOf(Math.min(...orders));
  return index === -1 ? undefined : waiting.splice(index, 1)[0];
}

async function planList(progress: Progress, { list, place }: Work): Promise<void> {
  const { kind, objects, isOwned } = list;
  const [first = ""] = kind.names;
  const names = objects.flatMap(({ fields }) => {
    const value = fields.get(first)?.value;
    return typeof value === "string" ? [value] : [];
  });
  const isRead = kind.form === "one" || !place.isNew;
  const stored = isRead ? await kind.read(progress.reader, place, isOwned ? undefined : names) : [];
  const left = new Set(stored);
  for (const wanted of objects) {
    const stated = await resolveObject(progress, kind, { wanted, place });
    if (stated === undefined) {
      left.clear(); // nothing is pruned beside what is unclear; the mistake ends the run
      continue;
    }
    const found = findStored(kind, stored, stated);
    if (found !== undefined) left.delete(found);
    await planObject(progress, { list, place, wanted, stated, found });
  }
  if (!isOwned) return;
  if (!progress.isPruning) progress.unpruned += left.size;
  else for (const object of left) progress.changes.push(await removalOf(progress, { list, place, object }));
}

function findStored(
  kind: ObjectKind,
  stored: readonly StoredObject[],
  stated: StatedSettings,
): StoredObject | undefined {
  if (kind.form === "one") return stored[0];
  const wanted = Object.fromEntries([...stated].map(([name, { value }]) => [name, value]));
  const key = keyOf(kind, wanted);
  return stored.find(({ settings }) => keyOf(kind, settings) === key);
}

function keyOf(kind: ObjectKind, settings: JsonObject): string {
  return JSON.stringify(
    kind.names.map((name) => {
      const value = settings[name] ?? "";
      return typeof value === "string" ? comparedName(kind, value) : value;
    }),
  );
}

interface Matched {
  readonly list: WantedList;
  readonly place: FilePlace;
  readonly wanted: WantedObject;
  readonly stated: StatedSettings;
  readonly found: StoredObject | undefined;
}

/** Notes what the object is called, plans its change, and queues what belongs to it. */
async function planObject(progress: Progress, matched: Matched): Promise<void> {
  const { list, place, wanted, stated, found } = matched;
  const { kind } = list;
  const isThere = found !== undefined && found.isThere !== false;
  const bulkId = kind.own !== undefined && !isThere ? `new-${(progress.made += 1)}` : "";
  const id = isThere ? found.id : bulkId === "" ? "" : `${bulkPrefix}${bulkId}`;
  const organizationId = kind.target === "organization" ? id : place.organizationId;
  const settings = mergeSettings(kind, found?.settings ?? {}, stated);
  const label = await labelOf(progress.reader, kind, { place, settings, wanted });
  noteName(progress, matched, { id, settings });
  const fields = await changesOf(progress, matched, isThere);
  const change = toChange(matched, { id, bulkId, settings, label, isThere, fields });
  if (change !== undefined) progress.changes.push(change);
  const inside: FilePlace = {
    organizationId,
    ids: { ...place.ids, [kind.key]: id },
    isNew: place.isNew || !isThere,
    label,
  };
  for (const child of wanted.children) progress.waiting.push({ list: child, place: inside });
}

function noteName(
  { references }: Progress,
  { list: { kind }, place }: Matched,
  { id, settings }: { readonly id: string; readonly settings: JsonObject },
): void {
  const [first = ""] = kind.names;
  const name = settings[first];
  if (kind.target === undefined || typeof name !== "string") return;
  // A grant is found by its project, within the organization that has it.
  if (kind.target === "projectGrant")
    references.note("projectGrant", name, { name: place.ids["projects"] ?? "", id });
  else references.note(kind.target, place.organizationId, { name, id });
}

function toChange(
  { list: { kind }, place, wanted, stated, found }: Matched,
  made: {
    readonly id: string;
    readonly bulkId: string;
    readonly settings: JsonObject;
    readonly label: string;
    readonly isThere: boolean;
    readonly fields: readonly FieldChange[];
  },
): PlannedChange | undefined {
  const { id, bulkId, settings, label, isThere, fields } = made;
  const called = { kind, place, id, settings };
  const common = {
    kind,
    label,
    spot: wanted.spot,
    organizationId: place.organizationId,
    subject: subjectOf(kind, { place, id, label }),
  };
  if (!isThere) {
    const items = addItems(called, { bulkId, changes: fields, isActive: wanted.isActive });
    if (items.length === 0) return undefined; // nothing but a place for others
    return {
      ...common,
      action: "add",
      fields: [...fields, ...stateChange(wanted, true)],
      items,
      sequence: undefined,
    };
  }
  const cleared = [...stated].flatMap(([name, { value }]) => (value === null ? [name] : []));
  const isSwitched =
    wanted.isActive !== undefined && found?.isActive !== undefined && wanted.isActive !== found.isActive;
  const items = [
    ...updateItems(called, { changes: fields, cleared }),
    ...(isSwitched ? switchItems(called, wanted.isActive) : []),
  ];
  if (items.length === 0) return undefined;
  const all = isSwitched ? [...fields, ...stateChange(wanted, !wanted.isActive)] : fields;
  return { ...common, action: "change", fields: all, items, sequence: found?.sequence };
}

/** Lists the fields that would change. References stand in it by their names. */
async function changesOf(
  { reader }: Planning,
  { list: { kind }, place, wanted, stated, found }: Matched,
  isThere: boolean,
): Promise<readonly FieldChange[]> {
  const stored = isThere ? (found?.settings ?? {}) : {};
  const changes: FieldChange[] = [];
  for (const [name, field] of wanted.fields) {
    const value = stated.get(name)?.value ?? null;
    const compared = compareField(kind, field, { value, stored: stored[name] });
    const { reference, value: after } = field;
    if (reference === undefined || typeof after !== "string") {
      changes.push(...compared);
      continue;
    }
    const before = await findName(reader, reference, {
      organizationId: place.organizationId,
      id: stored[name],
    });
    for (const change of compared) changes.push({ ...change, before: before?.name, after });
  }
  return changes;
}

function subjectOf(
  { partOf }: ObjectKind,
  { place, id, label }: { readonly place: FilePlace; readonly id: string; readonly label: string },
): string {
  const subject = partOf === undefined ? id : place.ids[partOf];
  return subject === undefined || subject === "" ? label : subject;
}

function stateChange({ isActive }: WantedObject, before: boolean): readonly FieldChange[] {
  if (isActive === undefined || isActive === before) return [];
  const [active, inactive] = ["ACTIVE", "INACTIVE"];
  return [
    {
      name: "state",
      root: "state",
      before: before ? active : inactive,
      after: isActive ? active : inactive,
      isSecret: false,
    },
  ];
}

async function removalOf(
  { reader }: Planning,
  {
    list,
    place,
    object,
  }: { readonly list: WantedList; readonly place: FilePlace; readonly object: StoredObject },
): Promise<PlannedChange> {
  const { kind } = list;
  if (kind.remove === undefined) throw new Error(`${kind.key} are never removed`);
  const called = { kind, place, id: object.id, settings: object.settings };
  const spot: Spot = list.spot;
  const label = await labelOf(reader, kind, { place, settings: object.settings });
  return {
    kind,
    action: "remove",
    label,
    subject: subjectOf(kind, { place, id: object.id, label }),
    spot,
    fields: [],
    items: [{ item: kind.remove, request: fillRequest(kind.remove, called) }],
    organizationId: place.organizationId,
    sequence: object.sequence,
  };
}
