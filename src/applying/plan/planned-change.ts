import type { JsonObject } from "@bufbuild/protobuf";
import type { FileValue } from "../file/file-values.ts";
import type { Spot } from "../file/mistakes.ts";
import type { ItemCase, ObjectKind } from "../kinds/object-kind.ts";

/** What would become of an object. */
export interface PlannedChange {
  readonly kind: ObjectKind;
  readonly action: "add" | "change" | "remove";
  /** What it is, with all that it belongs to. */
  readonly label: string;
  /** Where the file speaks of it. */
  readonly spot: Spot;
  readonly fields: readonly FieldChange[];
  /** The calls that do it, in their order. */
  readonly items: readonly PlannedItem[];
  /** The organization that they act on; empty: none. */
  readonly organizationId: string;
  /** The object that `if-match` is about: what is a part of another object shares it. */
  readonly subject: string;
  /** Where that stood in the log when it was read; the first of the calls about it insists on it. */
  readonly sequence: string | undefined;
}

/** A field that would change. */
export interface FieldChange {
  /** Its path, such as `oidc.issuer`. */
  readonly name: string;
  /** The field of the object that it is, or is in, as requests name it. */
  readonly root: string;
  /** As files have it. Undefined: there is none. */
  readonly before?: FileValue | undefined;
  readonly after?: FileValue | undefined;
  /** Whether the values are secrets, which nobody sees; whether they differ is known only to the service. */
  readonly isSecret: boolean;
}

/** A call. */
export interface PlannedItem {
  readonly item: ItemCase;
  /** In the JSON of protobuf. */
  readonly request: JsonObject;
  /** What later items name what it makes by. */
  readonly bulkId?: string | undefined;
  /** The fields that it is made for; undefined: it is made whatever they are. */
  readonly of?: readonly string[] | undefined;
}
