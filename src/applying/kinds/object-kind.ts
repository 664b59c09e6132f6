import type { JsonObject } from "@bufbuild/protobuf";
import type { WriteItem } from "../../../gen/gatehouse/v1/batch_service_pb.ts";
import type { ServiceReader } from "../reading/reader.ts";

/** A call that can be an item of a batch, as TypeScript spells its field: `addProject`. */
export type ItemCase = NonNullable<WriteItem["request"]["case"]>;

/**
 * A kind of object that a configuration can hold: all that planning, applying, exporting and the JSON Schema know about it. Its settings
 * are the fields of the requests of `add` and `updates`, so a new field of the API is one of the file at once.
 */
export interface ObjectKind {
  /** Its key in the file, below what it belongs to, such as `projects`. Says what the kind is, unless it stands below several. */
  readonly key: string;
  /** What lines of a plan call one: `project`. */
  readonly noun: string;
  /** How the objects stand in the file: a list of mappings, a list of names, a mapping from names, or one object that is always there. */
  readonly form: "list" | "names" | "map" | "one";
  /** The fields of requests that together tell one object from the others in its place. */
  readonly names: readonly string[];
  /** Whether names that differ in case alone are the same. Default: false. */
  readonly isFolded?: boolean;
  /** The call that makes one. Absent: `updates` make it. */
  readonly add?: ItemCase;
  /** The calls that change one. Those with a field that changes are made, in this order. */
  readonly updates: readonly ItemCase[];
  /** A call that follows any of these. */
  readonly finish?: ItemCase;
  /** Absent: objects of the kind are never pruned. */
  readonly remove?: ItemCase;
  /** The calls behind `state`. Absent: the kind has no state. */
  readonly switches?: { readonly deactivate: ItemCase; readonly reactivate: ItemCase };
  /** The field of requests that holds the object's own id. Absent: its names do. */
  readonly own?: string;
  /** The fields of requests that hold ids of what it belongs to, each with the key of that kind. */
  readonly path?: Readonly<Record<string, string>>;
  /** What requests always say. */
  readonly fixed?: JsonObject;
  /** Fields of requests that are none of the file. */
  readonly leftOut?: readonly string[];
  /** The one field that the object consists of in the file, besides its name. */
  readonly inline?: string;
  /** Fields that are a list of pairs in requests, and a mapping in the file: the names of key and value. */
  readonly pairs?: Readonly<Record<string, readonly [key: string, value: string]>>;
  /** The key of the kind that it is a part of: `if-match` is about that object. Absent: about itself. */
  readonly partOf?: string;
  /** Fields of which requests take one: naming one drops the other. */
  readonly eitherOr?: readonly string[];
  /** Earlier kinds are added before later ones, and removed after them. Greater than that of what it belongs to. */
  readonly order: number;
  /** Whether removals come before all else: its names are those of another kind, too. Default: false, they come last. */
  readonly isRemovedFirst?: boolean;
  /** What references to it call it. Absent: nothing refers to it. */
  readonly target?: ReferenceTarget;
  /** What belongs to it. */
  readonly children: readonly ObjectKind[];
  /** Reads all that are there or, if `names` are given, at least those with such a first name. */
  read(reader: ServiceReader, place: FilePlace, names?: readonly string[]): Promise<readonly StoredObject[]>;
}

/** What a field can refer to by name. */
export type ReferenceTarget = "organization" | "project" | "projectGrant" | "group" | "user" | "idp" | "hook";

/** Where objects stand: the organization, and what they belong to. Ids of what is still to be made are `bulkId:` references. */
export interface FilePlace {
  /** Empty on the instance. */
  readonly organizationId: string;
  /** Ids of what the objects belong to, by the key of the kind. */
  readonly ids: Readonly<Record<string, string>>;
  /** Whether what they belong to is still to be made, so that nothing can be there. */
  readonly isNew: boolean;
  /** What lines of a plan begin with. */
  readonly label: string;
}

/** An object as the service has it. */
export interface StoredObject {
  /** Empty where its names tell it. */
  readonly id: string;
  /** By which `if-match` compares it. Undefined: it is not compared. */
  readonly sequence?: string | undefined;
  /** The fields of its requests, in the JSON of protobuf, with the names of the proto. */
  readonly settings: JsonObject;
  /** Undefined: it has no state, or one that is neither. */
  readonly isActive?: boolean | undefined;
  /** False: it is inherited, and would be made by an update. Default: true. */
  readonly isThere?: boolean;
}

/** Says whether a file can say that it has all objects of the kind. */
export function isOwnable({ remove, form }: ObjectKind): boolean {
  return remove !== undefined && form !== "one";
}
