import type { JsonValue } from "@bufbuild/protobuf";
import type { FileField } from "../kinds/fields.ts";
import type { ObjectKind } from "../kinds/object-kind.ts";
import type { Spot } from "./mistakes.ts";

/** A field as the file has it. */
export interface StatedField extends FileField {
  readonly spot: Spot;
  /** The name that a reference is; else the JSON of the field, of a message only the members that the file names; null: none. */
  readonly value: JsonValue;
  /** Whether it is a secret, or holds one. */
  readonly isSecret: boolean;
}

/** An object as the file has it. */
export interface WantedObject {
  readonly spot: Spot;
  /** By their names in requests. */
  readonly fields: ReadonlyMap<string, StatedField>;
  /** The organization of the project that it names. Undefined: the one that it stands in. */
  readonly projectOwner: { readonly spot: Spot; readonly name: string } | undefined;
  /** Undefined: the file does not say. */
  readonly isActive: boolean | undefined;
  readonly children: readonly WantedList[];
}

/** The objects of a kind, in one place. */
export interface WantedList {
  readonly kind: ObjectKind;
  readonly spot: Spot;
  readonly objects: readonly WantedObject[];
  /** Whether the file says that there are no others. */
  readonly isOwned: boolean;
}
