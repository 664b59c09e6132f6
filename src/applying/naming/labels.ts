import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { WantedObject } from "../file/wanted.ts";
import { fieldsOf } from "../kinds/fields.ts";
import type { FilePlace, ObjectKind } from "../kinds/object-kind.ts";
import type { ServiceReader } from "../reading/reader.ts";
import { findName } from "./names.ts";

/** Returns the words for an object in lines of a plan: `organization "Acme" / project "Shop" / role "seller"`. */
export async function labelOf(
  reader: ServiceReader,
  kind: ObjectKind,
  {
    place,
    settings,
    wanted,
  }: { readonly place: FilePlace; readonly settings: JsonObject; readonly wanted?: WantedObject },
): Promise<string> {
  const names: string[] = [];
  for (const { name, field, reference } of fieldsOf(kind)) {
    if (!kind.names.includes(field.name)) continue;
    const stated = wanted?.fields.get(field.name)?.value;
    const value = stated ?? (await shownName(reader, { reference, place, value: settings[field.name] }));
    if (value === undefined || value === "") continue;
    names.push(
      reference === undefined || kind.names.length === 1 ? quoted(value) : `${name} ${quoted(value)}`,
    );
  }
  const own = names.length === 0 ? kind.noun : `${kind.noun} ${names.join(", ")}`;
  return place.label === "" ? own : `${place.label} / ${own}`;
}

async function shownName(
  reader: ServiceReader,
  {
    reference,
    place,
    value,
  }: {
    readonly reference: ReturnType<typeof fieldsOf>[number]["reference"];
    readonly place: FilePlace;
    readonly value: JsonValue | undefined;
  },
): Promise<JsonValue | undefined> {
  if (reference === undefined) return value;
  const found = await findName(reader, reference, { organizationId: place.organizationId, id: value });
  return found?.name ?? value;
}

/** Returns a value as lines show it: in JSON, as `replacer` makes it, without characters that move the cursor of a terminal. */
export function quoted(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return JSON.stringify(value, replacer).replace(
    /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
