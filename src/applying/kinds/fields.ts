import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { WriteItemSchema } from "../../../gen/gatehouse/v1/batch_service_pb.ts";
import type { ItemCase, ObjectKind, ReferenceTarget } from "./object-kind.ts";

/** A field of an object in the file. */
export interface FileField {
  /** Its name in the file. */
  readonly name: string;
  /** The field of requests. */
  readonly field: DescField;
  /** What its text names; undefined: it is a value. */
  readonly reference: ReferenceTarget | undefined;
}

/** Fields of requests that hold ids, which the file has names for. */
const references: Readonly<Record<string, { readonly name: string; readonly to: ReferenceTarget }>> = {
  user_id: { name: "user", to: "user" },
  user_ids: { name: "user", to: "user" },
  group_id: { name: "group", to: "group" },
  group_ids: { name: "group", to: "group" },
  project_id: { name: "project", to: "project" },
  idp_id: { name: "idp", to: "idp" },
  source_idp_id: { name: "source_idp", to: "idp" },
  source_hook_id: { name: "source_hook", to: "hook" },
  source_user_id: { name: "source_user", to: "user" },
  granted_organization_id: { name: "organization", to: "organization" },
};

/** The field of the file that says to which organization the project of `project` belongs. */
export const projectOwner = "project_owner";

/** Fields that say how a call is made, or that follow from others. */
const notOfFiles = new Set(["force", "project_grant_id", "instance"]);
const removal = /^remove_/;

/** Returns the request of a call. */
export function requestOf(item: ItemCase): DescMessage {
  const message = WriteItemSchema.fields.find(({ localName }) => localName === item)?.message;
  if (message === undefined) throw new Error(`a batch has no item ${item}`);
  return message;
}

/** Lists the fields of the file, those of the first request first. Each name is there once. */
export function fieldsOf(kind: ObjectKind): readonly FileField[] {
  const isOther = new Set([
    ...notOfFiles,
    ...Object.keys(kind.path ?? {}),
    ...Object.keys(kind.fixed ?? {}),
    ...(kind.leftOut ?? []),
  ]);
  const fields = new Map<string, FileField>();
  for (const item of [...(kind.add === undefined ? [] : [kind.add]), ...kind.updates])
    for (const field of requestOf(item).fields) {
      if (isOther.has(field.name) || field.name === kind.own || removal.test(field.name)) continue;
      const reference = references[field.name];
      const name = reference?.name ?? field.name;
      if (!fields.has(name)) fields.set(name, { name, field, reference: reference?.to });
    }
  return [...fields.values()];
}

/** Says whether objects of the kind name a project, of which `project_owner` then may say the organization. */
export function hasProjectOwner(kind: ObjectKind): boolean {
  return fieldsOf(kind).some(({ reference }) => reference === "project");
}

/** Returns the name in the file of a field of requests. */
export function fileNameOf(field: string): string {
  return references[field]?.name ?? field;
}
