import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isMap, isScalar, type Node } from "yaml";
import type { ReadValue, ValueReader } from "./values.ts";

/** Reads a mapping of texts to texts into the list of pairs that requests have. Undefined: it has a mistake, which was noted. */
export function readPairs(
  reader: ValueReader,
  asked: {
    readonly field: DescField;
    readonly pairs: readonly [key: string, value: string];
    readonly node: Node | null;
  },
): ReadValue | undefined {
  const { node, pairs } = asked;
  if (!isMap(node)) {
    reader.mistakes.add(reader.spotOf(node), "must be a mapping of names to texts");
    return undefined;
  }
  const [keyName, valueName] = pairs;
  const list: JsonObject[] = [];
  for (const { key, value } of node.items) {
    const followed = reader.follow(value);
    const name: unknown = isScalar(key) ? key.value : undefined;
    const text: unknown = isScalar(followed) ? followed.value : undefined;
    if (typeof name === "string" && typeof text === "string")
      list.push({ [keyName]: name, [valueName]: text });
    else reader.mistakes.add(reader.spotOf(followed ?? (key as Node)), "must be a text; put it in quotes");
  }
  return { value: list, isSecret: false };
}

/** Returns pairs as a mapping. */
export function toMapping(list: JsonValue, [key, value]: readonly [string, string]): Map<string, JsonValue> {
  const pairs = Array.isArray(list) ? (list as readonly JsonObject[]) : []; // as requests have them
  return new Map(
    pairs.flatMap((pair) => {
      const name = pair[key];
      return typeof name === "string" ? [[name, pair[value] ?? ""]] : [];
    }),
  );
}
