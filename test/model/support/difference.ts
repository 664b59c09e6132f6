import type { JsonValue } from "@bufbuild/protobuf";

/** More than these would hide the first ones. */
const maxLines = 10;

/** Returns where two values differ, a line each with what the service and what the model says; none for equal ones. */
export function differences(found: JsonValue | undefined, wanted: JsonValue | undefined): readonly string[] {
  const lines = compare("", found, wanted);
  const more = lines.length - maxLines;
  return more > 0 ? [...lines.slice(0, maxLines), `and ${more} more`] : lines;
}

function compare(
  path: string,
  found: JsonValue | undefined,
  wanted: JsonValue | undefined,
): readonly string[] {
  if (!isTree(found) || !isTree(wanted) || Array.isArray(found) !== Array.isArray(wanted)) {
    if (found === wanted) return [];
    return [`${path}: ${JSON.stringify(found)}, the model says ${JSON.stringify(wanted)}`];
  }
  const names = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...names].flatMap((name) =>
    compare(path === "" ? name : `${path}.${name}`, found[name as never], wanted[name as never]),
  );
}

/** Of an array the names are the indexes. */
function isTree(value: JsonValue | undefined): value is Exclude<JsonValue, string | number | boolean | null> {
  return typeof value === "object" && value !== null;
}
