import { type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { WriteItem } from "../../../../../gen/gatehouse/v1/batch_service_pb.ts";
import {
  type FieldViolation,
  fieldInvalid,
  fieldsInvalid,
  Problem,
} from "../../../../kernel/base/problem.ts";

/** The prefix that, before a `bulk_id`, stands for the id that an earlier item has made (RFC 7644 §3.7.2). No id begins with it. */
const prefix = "bulkId:";

/** The fields that hold ids of our objects, unlike `client_id` and `entity_id`, which other systems make. */
const idFields: ReadonlySet<string> = new Set([
  "app_id",
  "grant_id",
  "grant_ids",
  "granted_organization_id",
  "group_grant_id",
  "group_id",
  "group_ids",
  "id",
  "idp_id",
  "key_id",
  "membership_id",
  "organization_id",
  "passkey_id",
  "project_grant_id",
  "project_id",
  "secret_id",
  "source_hook_id",
  "source_idp_id",
  "source_user_id",
  "target_id",
  "hook_id",
  "token_id",
  "u2f_id",
  "user_grant_id",
  "user_id",
  "user_ids",
]);

/** Says whether the field holds the id of an object, or a list of them. */
export function isIdField({ name, scalar, fieldKind }: DescField): boolean {
  return scalar === ScalarType.STRING && fieldKind !== "map" && idFields.has(name);
}

/** The ids that the items of a batch have made, by their `bulk_id`. */
export interface References {
  /** Replaces the references in a message by ids, in place. Raises FIELD_INVALID, BATCH_ITEM_FAILED. */
  resolve(desc: DescMessage, message: Message): void;
  /** Does the same for one value. `field` names it in the problem. */
  resolveValue(value: string, field: string): string;
  /** Records what the item has made. */
  made(item: WriteItem, desc: DescMessage, answer: Message): void;
  /** Records that the item failed. */
  failed(item: WriteItem): void;
}

/** Creates the references of one batch. Raises FIELD_INVALID when two of its items have the same `bulk_id`. */
export function createReferences(items: readonly WriteItem[]): References {
  const names = new Set<string>();
  const repeated: FieldViolation[] = [];
  for (const [index, { bulkId }] of items.entries()) {
    if (bulkId !== "" && names.has(bulkId))
      repeated.push({ field: `items[${index}].bulk_id`, description: "is the bulk_id of an earlier item" });
    names.add(bulkId);
  }
  if (repeated.length > 0) throw fieldsInvalid(repeated);
  const ids = new Map<string, string | undefined>();
  const failures = new Set<string>();
  const resolveValue = (value: string, field: string): string => {
    if (!value.startsWith(prefix)) return value;
    const name = value.slice(prefix.length);
    if (failures.has(name)) throw itemFailed(name);
    if (!ids.has(name)) throw fieldInvalid(field, "must name the bulk_id of an earlier item");
    const id = ids.get(name);
    if (id === undefined) throw fieldInvalid(field, "must name an item that makes an object with an id");
    return id;
  };
  return {
    resolveValue,
    resolve(desc, message) {
      for (const field of desc.fields)
        if (isIdField(field)) resolveField(desc, message, { field, resolveValue });
    },
    made({ bulkId }, desc, answer) {
      if (bulkId !== "") ids.set(bulkId, madeIdOf(desc, answer));
    },
    failed({ bulkId }) {
      if (bulkId !== "") failures.add(bulkId);
    },
  };
}

function resolveField(
  desc: DescMessage,
  message: Message,
  { field, resolveValue }: { readonly field: DescField; readonly resolveValue: References["resolveValue"] },
): void {
  const value = valueOf(message, field);
  if (typeof value === "string" && value.startsWith(prefix))
    reflect(desc, message).set(field, resolveValue(value, field.name));
  if (!Array.isArray(value)) return;
  for (const [index, entry] of value.entries())
    value[index] = resolveValue(String(entry), `${field.name}[${index}]`);
}

/** Reads a field without reflection, which would cost more than all else: hardly any field has a reference. */
function valueOf(message: Message, { localName, oneof }: DescField): unknown {
  const fields = message as Message & Readonly<Record<string, unknown>>; // every field is a property
  if (oneof === undefined) return fields[localName];
  const chosen = fields[oneof.localName] as { readonly case?: string; readonly value?: unknown }; // as protobuf-es has oneofs
  return chosen.case === localName ? chosen.value : undefined;
}

/** Finds the id of the object that was made, in the answer; undefined when none was made, or one without an id. */
function madeIdOf(desc: DescMessage, answer: Message): string | undefined {
  const field = desc.fields.find(isIdField);
  const id = field && valueOf(answer, field);
  return typeof id === "string" ? id : undefined;
}

function itemFailed(bulkId: string): Problem {
  return new Problem({
    kind: "precondition",
    reason: "BATCH_ITEM_FAILED",
    message: `the item ${bulkId} of the batch failed; nothing of this one was done`,
    metadata: { bulk_id: bulkId },
  });
}
