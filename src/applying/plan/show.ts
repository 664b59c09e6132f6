import type { FileValue } from "../file/file-values.ts";
import { quoted } from "../naming/labels.ts";
import type { FieldChange, PlannedChange } from "./planned-change.ts";

const signs = { add: "+", change: "~", remove: "-" } as const;

/** So much of a value is shown. */
const maxShown = 200;

/** Returns the lines of a plan, in the order of the file: one for each object, and below it one for each field. Secrets are never in it. */
export function toLines(changes: readonly PlannedChange[]): readonly string[] {
  const inOrder = changes.toSorted(
    ({ spot }, { spot: other }) => spot.line - other.line || spot.column - other.column,
  );
  return inOrder.flatMap((change) => toChangeLines(change));
}

function toChangeLines(change: PlannedChange): readonly string[] {
  const fields = change.fields.flatMap((field) => toFieldLine(change, field));
  return [`${signs[change.action]} ${change.label}`, ...fields];
}

function toFieldLine({ kind, action, fields }: PlannedChange, field: FieldChange): readonly string[] {
  const { name, root, before, after, isSecret } = field;
  if (action === "add" && kind.names.includes(root)) return []; // the line above says it
  // Whether the secret is another one is certain only where nothing else would change.
  if (isSecret) return [`    ${name}: ${action === "change" && fields.length === 1 ? "changed" : "set"}`];
  return [`    ${name}: ${action === "add" ? show(after) : `${show(before)} -> ${show(after)}`}`];
}

function show(value: FileValue | undefined): string {
  if (value === undefined) return "none";
  const text = quoted(value, (_key, inner: unknown) => (inner instanceof Uint8Array ? "binary" : inner));
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** Returns the last line, with the numbers. */
export function toSummary(what: "plan" | "apply", changes: readonly PlannedChange[]): string {
  const count = (action: PlannedChange["action"]) => changes.filter((each) => each.action === action).length;
  const [added, changed, removed] =
    what === "plan" ? ["to add", "to change", "to remove"] : ["added", "changed", "removed"];
  return `${what}: ${count("add")} ${added}, ${count("change")} ${changed}, ${count("remove")} ${removed}`;
}
