import { Code } from "@connectrpc/connect";
import { stringify } from "yaml";
import { GatehouseError } from "../../client/client.ts";
import { type FileValue, toFileValue } from "../file/file-values.ts";
import { toMapping } from "../file/pairs.ts";
import { type FileField, fieldsOf, projectOwner } from "../kinds/fields.ts";
import type { FilePlace, ObjectKind, StoredObject } from "../kinds/object-kind.ts";
import { labelOf } from "../naming/labels.ts";
import { findName } from "../naming/names.ts";
import type { ServiceReader } from "../reading/reader.ts";

/** What is exported, and from where. */
export interface ConfigurationExport {
  readonly reader: ServiceReader;
  readonly kinds: readonly ObjectKind[];
  /** Names of the organizations that are exported, without the instance. Empty: all that the caller may read, and the instance. */
  readonly organizations: readonly string[];
  /** Whether grants, memberships and members that name people come along. No file has the people themselves. */
  readonly hasPeople: boolean;
}

interface Writing extends ConfigurationExport {
  /** Notes what does not come along, and why. */
  leaveOut(label: string, why: string): void;
  /** Counts what is about a person. */
  countPerson(): void;
}

type Entries = Record<string, FileValue>;

/**
 * Returns the configuration of a service as a file, of which a plan is empty. Secrets are not in it. What the caller may not read, or may not
 * name, is left out, as comments at the top say.
 */
export async function exportConfiguration(asked: ConfigurationExport): Promise<string> {
  const leftOut = new Map<string, string>();
  let people = 0;
  const writing: Writing = {
    ...asked,
    leaveOut: (label, why) => void leftOut.set(label, why),
    countPerson: () => void (people += 1),
  };
  const place: FilePlace = { organizationId: "", ids: {}, isNew: false, label: "" };
  const content: Entries = {};
  for (const kind of asked.kinds) {
    if (kind.target !== "organization" && asked.organizations.length > 0) continue;
    const value = await writeKind(writing, kind, place);
    if (value !== undefined) content[kind.key] = value;
  }
  const notes = [...leftOut].map(([label, why]) => `# left out: ${label}: ${why}\n`);
  if (people > 0)
    notes.push(`# left out: ${people} objects that name people; --with-people takes them along\n`);
  return (
    notes.join("") +
    stringify(content, { customTags: ["binary"], lineWidth: 0, aliasDuplicateObjects: false })
  );
}

/** Returns all objects of a kind in a place. Undefined: there is none. */
async function writeKind(
  writing: Writing,
  kind: ObjectKind,
  place: FilePlace,
): Promise<FileValue | undefined> {
  const stored = await readAll(writing, kind, place);
  const written: { readonly object: StoredObject; readonly value: FileValue }[] = [];
  for (const object of stored) {
    if (object.isThere === false) continue;
    const value = await writeObject(writing, kind, { place, object });
    if (value !== undefined) written.push({ object, value });
  }
  const [first] = written;
  if (first === undefined) return undefined;
  switch (kind.form) {
    case "one":
      return first.value;
    case "list":
    case "names":
      return written.map(({ value }) => value);
    case "map": {
      const [name = ""] = kind.names;
      return Object.fromEntries(
        written.map(({ object: { settings }, value }) => [asText(settings[name]), value]),
      );
    }
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

async function readAll(
  { reader, organizations, leaveOut }: Writing,
  kind: ObjectKind,
  place: FilePlace,
): Promise<readonly StoredObject[]> {
  const names = kind.target === "organization" && organizations.length > 0 ? organizations : undefined;
  try {
    return await kind.read(reader, place, names);
  } catch (error) {
    const { code, reason } = GatehouseError.from(error);
    if (code !== Code.PermissionDenied) throw error;
    leaveOut(place.label === "" ? kind.key : `${place.label} / ${kind.key}`, reason);
    return [];
  }
}

interface Written {
  readonly place: FilePlace;
  readonly object: StoredObject;
}

async function writeObject(
  writing: Writing,
  kind: ObjectKind,
  { place, object }: Written,
): Promise<FileValue | undefined> {
  const label = await labelOf(writing.reader, kind, { place, settings: object.settings });
  const entries: Entries = {};
  for (const field of fieldsOf(kind)) {
    const value = await writeField(writing, kind, { place, object, field });
    if (value === "hidden") {
      writing.leaveOut(label, "it names what cannot be named");
      return undefined;
    }
    if (value === "person") {
      writing.countPerson();
      return undefined;
    }
    Object.assign(entries, value);
  }
  const [first = ""] = kind.names;
  const inline = kind.inline ?? (kind.form === "names" ? first : undefined);
  if (inline !== undefined) return inlineOf(kind, entries, inline);
  if (kind.switches !== undefined && object.isActive !== undefined)
    entries["state"] = object.isActive ? "ACTIVE" : "INACTIVE";
  const inside: FilePlace = {
    organizationId: kind.target === "organization" ? object.id : place.organizationId,
    ids: { ...place.ids, [kind.key]: object.id },
    isNew: false,
    label,
  };
  for (const child of kind.children) {
    const value = await writeKind(writing, child, inside);
    if (value !== undefined) entries[child.key] = value;
  }
  return entries;
}

/** Returns the value that an object consists of. Undefined: an empty list of what is always there. */
function inlineOf(kind: ObjectKind, entries: Entries, inline: string): FileValue | undefined {
  const name = fieldsOf(kind).find(({ field }) => field.name === inline)?.name ?? inline;
  const value = entries[name];
  return kind.form === "one" && Array.isArray(value) && value.length === 0 ? undefined : value;
}

async function writeField(
  { reader, hasPeople }: Writing,
  kind: ObjectKind,
  { place, object, field }: Written & { readonly field: FileField },
): Promise<Entries | "hidden" | "person"> {
  const { name, reference } = field;
  const value = object.settings[field.field.name];
  if (value === undefined || value === null) return {};
  if (reference !== undefined) {
    if (value === "") return {};
    const found = await findName(reader, reference, { organizationId: place.organizationId, id: value });
    if (found === undefined) return "hidden";
    if (found.isPerson === true && !hasPeople) return "person";
    return { [name]: found.name, ...(found.owner === undefined ? {} : { [projectOwner]: found.owner }) };
  }
  const pairs = kind.pairs?.[field.field.name];
  if (pairs !== undefined) return { [name]: Object.fromEntries(toMapping(value, pairs)) as FileValue }; // texts
  if (kind.eitherOr?.includes(name) === true && value === "") return {};
  const written = toFileValue(field.field, value);
  return written === undefined ? {} : { [name]: written };
}
