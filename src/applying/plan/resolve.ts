import type { DescField, JsonValue } from "@bufbuild/protobuf";
import type { Mistakes } from "../file/mistakes.ts";
import type { StatedField, WantedObject } from "../file/wanted.ts";
import { requestOf } from "../kinds/fields.ts";
import type { FilePlace, ObjectKind } from "../kinds/object-kind.ts";
import { quoted } from "../naming/labels.ts";
import type { NameTable } from "../naming/references.ts";

/** What the file states of an object, with ids in place of names, by the fields of requests. */
export type StatedSettings = ReadonlyMap<string, { readonly field: DescField; readonly value: JsonValue }>;

/** What finding ids needs. */
export interface Resolving {
  readonly references: NameTable;
  readonly mistakes: Mistakes;
}

/** Finds the ids of what an object names. Undefined: something is not there, which was noted. */
export async function resolveObject(
  { references, mistakes }: Resolving,
  kind: ObjectKind,
  { wanted, place }: { readonly wanted: WantedObject; readonly place: FilePlace },
): Promise<StatedSettings | undefined> {
  const settings = new Map<string, { readonly field: DescField; readonly value: JsonValue }>();
  let isWhole = true;
  const ownerId = await ownerOf({ references, mistakes }, { wanted, place });
  for (const [name, stated] of wanted.fields) {
    const { field, reference, value, spot } = stated;
    if (reference === undefined || reference === "projectGrant") {
      settings.set(name, { field, value });
      continue;
    }
    const text = typeof value === "string" ? value : "";
    const found =
      reference === "project"
        ? await findProject(references, { kind, place, ownerId, name: text })
        : await findOne(references, { stated, place, name: text });
    if (found === undefined) {
      isWhole = false;
      mistakes.add(
        spot,
        `there is no ${nounOf[reference]} ${quoted(text)}${whereOf(reference, place, wanted)}`,
      );
      continue;
    }
    for (const [target, id] of found) settings.set(target.name, { field: target, value: toList(target, id) });
  }
  return isWhole ? settings : undefined;
}

const nounOf = {
  organization: "organization",
  project: "project",
  group: "group",
  user: "user",
  idp: "identity provider",
  hook: "hook",
} as const;

function whereOf(
  reference: keyof typeof nounOf,
  { label }: FilePlace,
  { projectOwner }: WantedObject,
): string {
  if (reference === "organization" || reference === "user") return "";
  if (reference === "project" && projectOwner !== undefined)
    return ` of ${quoted(projectOwner.name)} that this organization was granted`;
  return ` in ${label.split(" / ")[0] ?? ""}`;
}

type Found = readonly (readonly [DescField, string])[];

async function ownerOf(
  { references, mistakes }: Resolving,
  { wanted: { projectOwner }, place }: { readonly wanted: WantedObject; readonly place: FilePlace },
): Promise<string | undefined> {
  if (projectOwner === undefined) return place.organizationId;
  const found = await references.find("organization", "", projectOwner.name);
  if (found === undefined)
    mistakes.add(projectOwner.spot, `there is no organization ${quoted(projectOwner.name)}`);
  return found;
}

/** Finds a project, and the grant of it where the organization is not its owner and the request names one. */
async function findProject(
  references: NameTable,
  {
    kind,
    place,
    ownerId,
    name,
  }: {
    readonly kind: ObjectKind;
    readonly place: FilePlace;
    readonly ownerId: string | undefined;
    readonly name: string;
  },
): Promise<Found | undefined> {
  if (ownerId === undefined || ownerId === "") return undefined; // the instance has no projects
  const fields = [kind.add ?? kind.updates[0]].flatMap((item) =>
    item === undefined ? [] : requestOf(item).fields,
  );
  const project = fields.find((field) => field.name === "project_id");
  const grant = fields.find((field) => field.name === "project_grant_id");
  if (project === undefined) throw new Error(`${kind.key} names no project`);
  if (ownerId === place.organizationId || grant === undefined) {
    const id = await references.find("project", ownerId, name);
    return id === undefined ? undefined : [[project, id]];
  }
  const found = await references.findGranted(place.organizationId, { ownerId, name });
  return (
    found && [
      [project, found.projectId],
      [grant, found.grantId],
    ]
  );
}

async function findOne(
  references: NameTable,
  { stated, place, name }: { readonly stated: StatedField; readonly place: FilePlace; readonly name: string },
): Promise<Found | undefined> {
  const { field, reference } = stated;
  if (reference === undefined || reference === "projectGrant") return undefined;
  const id = await references.find(reference, place.organizationId, name);
  return id === undefined ? undefined : [[field, id]];
}

function toList({ fieldKind }: DescField, id: string): JsonValue {
  return fieldKind === "list" ? [id] : id;
}
