import { fileNameOf } from "../kinds/fields.ts";
import type { ObjectKind } from "../kinds/object-kind.ts";
import { comparedName } from "../kinds/fold.ts";
import type { Mistakes, Spot } from "./mistakes.ts";
import type { StatedField, WantedObject } from "./wanted.ts";

/** Notes objects without a name, and those with the name of an earlier one. */
export function checkNames(mistakes: Mistakes, kind: ObjectKind, objects: readonly WantedObject[]): void {
  if (kind.form === "one") return;
  const seen = new Map<string, Spot>();
  for (const object of objects) {
    const names = kind.names.map((name) => {
      const value = object.fields.get(name)?.value ?? "";
      return typeof value === "string" ? comparedName(kind, value) : value;
    });
    if (names.every((name) => name === "")) {
      const known = [...new Set(kind.names.filter((name) => name !== "project_grant_id").map(fileNameOf))];
      mistakes.add(object.spot, `needs ${known.join(" or ")}, which says which ${kind.noun} it is`);
      continue;
    }
    const key = JSON.stringify([...names, object.projectOwner?.name ?? ""]);
    const former = seen.get(key);
    if (former === undefined) seen.set(key, object.spot);
    else mistakes.add(object.spot, `is the same ${kind.noun} as in line ${former.line}`);
  }
}

/** Notes fields of which an object can have only one. */
export function checkAlternatives(mistakes: Mistakes, stated: readonly StatedField[]): void {
  const seen = new Map<string, string>();
  for (const { field, name, spot } of stated) {
    if (field.oneof === undefined) continue;
    const former = seen.get(field.oneof.name);
    if (former !== undefined)
      mistakes.add(spot, `cannot stand beside ${former}: only one of them is possible`);
    seen.set(field.oneof.name, name);
  }
}
