import { foldName } from "../../kernel/base/names/folding.ts";
import type { ObjectKind } from "./object-kind.ts";

/** Returns the name as it is compared with others of the kind. */
export function comparedName({ isFolded = false }: Pick<ObjectKind, "isFolded">, name: string): string {
  return isFolded ? foldName(name) : name;
}
