import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { fieldsOf, type FileField, hasProjectOwner, projectOwner } from "../kinds/fields.ts";
import { isOwnable, type ObjectKind } from "../kinds/object-kind.ts";
import { createMistakes, type Mistakes, type Spot } from "./mistakes.ts";
import type { SecretSource } from "./secrets.ts";
import { followAlias, readFieldValue, unknownKey, type ValueReader } from "./values.ts";
import { readPairs } from "./pairs.ts";
import { checkAlternatives, checkNames } from "./rules.ts";
import type { StatedField, WantedList, WantedObject } from "./wanted.ts";

/** Beyond it a file is refused: so many characters are no configuration. */
const maxCharacters = 16 * 2 ** 20;
/** Beyond it the objects of a file are refused, counted wherever aliases repeat them. */
const maxObjects = 100_000;

interface Reading extends ValueReader {
  /** Counts an object. Throws ConfigurationError for one too many. */
  count(): void;
}

/**
 * Reads a configuration: YAML 1.2, or JSON, which is one. Throws ConfigurationError that names everything that is wrong with it, with
 * line and column.
 */
export function readConfiguration(
  text: string,
  {
    file,
    kinds,
    secrets,
  }: { readonly file: string; readonly kinds: readonly ObjectKind[]; readonly secrets: SecretSource },
): readonly WantedList[] {
  const mistakes = createMistakes(file);
  if (text.length > maxCharacters) {
    mistakes.add({ line: 1, column: 1 }, `the file has more than ${maxCharacters} characters`);
    mistakes.throwIfAny();
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, customTags: ["binary"], prettyErrors: false });
  for (const { pos, message } of document.errors) mistakes.add(toSpot(lines, pos[0]), message);
  mistakes.throwIfAny();
  const reading = createReading({ document, lines, mistakes, secrets });
  const root: ObjectKind = { ...emptyKind, children: kinds };
  const { children } = readObject(reading, root, document.contents);
  mistakes.throwIfAny();
  return children;
}

/** What the file as a whole is. */
const emptyKind: Omit<ObjectKind, "children"> = {
  key: "",
  noun: "configuration",
  form: "one",
  names: [],
  updates: [],
  order: 0,
  read: async () => [],
};

function toSpot(lines: LineCounter, offset: number): Spot {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function createReading(parts: {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  readonly mistakes: Mistakes;
  readonly secrets: SecretSource;
}): Reading {
  const { document, lines, mistakes, secrets } = parts;
  let objects = 0;
  return {
    mistakes,
    secrets,
    spotOf: (node) => toSpot(lines, node?.range?.[0] ?? 0),
    follow: (node) => followAlias(node, (alias) => alias.resolve(document)),
    count() {
      objects += 1;
      if (objects <= maxObjects) return;
      mistakes.add({ line: 1, column: 1 }, `the file has more than ${maxObjects} objects`);
      mistakes.throwIfAny();
    },
  };
}

/** A key of a mapping, with what it stands for. */
interface Entry {
  readonly name: string;
  readonly key: Node;
  readonly node: Node | null;
}

/** Lists the entries of a mapping. Notes what is none. */
function entriesOf(reading: Reading, node: Node | null): readonly Entry[] {
  if (!isMap(node)) {
    reading.mistakes.add(reading.spotOf(node), "must be a mapping of names to values");
    return [];
  }
  return node.items.flatMap(({ key, value }) => {
    const name: unknown = isScalar(key) ? key.value : undefined;
    if (isScalar(key) && typeof name === "string") return [{ name, key, node: reading.follow(value) }];
    reading.mistakes.add(reading.spotOf(key as Node), "a key must be a text; put it in quotes");
    return [];
  });
}

function readObject(reading: Reading, kind: ObjectKind, node: Node | null): WantedObject {
  reading.count();
  const entries = entriesOf(reading, node);
  const fields = fieldsOf(kind);
  const owned = entries.find(({ name }) => name === "owns");
  const owner = hasProjectOwner(kind) ? entries.find(({ name }) => name === projectOwner) : undefined;
  const state = kind.switches === undefined ? undefined : entries.find(({ name }) => name === "state");
  const stated: StatedField[] = [];
  const children: WantedList[] = [];
  const owns = readOwned(reading, kind, { entry: owned, entries });
  for (const entry of entries) {
    if (entry === owned || entry === owner || entry === state) continue;
    const child = kind.children.find(({ key }) => key === entry.name);
    const field = fields.find(({ name }) => name === entry.name);
    if (child !== undefined)
      children.push(readList(reading, child, { ...entry, isOwned: owns.includes(child.key) }));
    else if (field !== undefined) stated.push(...readField(reading, kind, { field, entry }));
    else
      reading.mistakes.add(
        reading.spotOf(entry.key),
        unknownKey(entry.name, configurationKeysOf(kind, fields)),
      );
  }
  checkAlternatives(reading.mistakes, stated);
  return {
    spot: reading.spotOf(node),
    fields: new Map(stated.map((each) => [each.field.name, each])),
    projectOwner: owner && {
      spot: reading.spotOf(owner.node),
      name: textOf(reading, owner.node) ?? "",
    },
    isActive: state && readState(reading, state.node),
    children,
  };
}

/** Lists the keys that an object of the kind can have. */
function configurationKeysOf(kind: ObjectKind, fields = fieldsOf(kind)): readonly string[] {
  return [
    ...fields.map(({ name }) => name),
    ...(hasProjectOwner(kind) ? [projectOwner] : []),
    ...(kind.switches === undefined ? [] : ["state"]),
    ...kind.children.map(({ key }) => key),
    ...(kind.children.some(isOwnable) ? ["owns"] : []),
  ];
}

function readOwned(
  reading: Reading,
  kind: ObjectKind,
  { entry, entries }: { readonly entry: Entry | undefined; readonly entries: readonly Entry[] },
): readonly string[] {
  const known = kind.children.filter(isOwnable).map(({ key }) => key);
  if (entry === undefined) return [];
  if (!isSeq(entry.node) || known.length === 0) {
    const text = known.length === 0 ? unknownKey("owns", configurationKeysOf(kind)) : "must be a list";
    reading.mistakes.add(reading.spotOf(entry.key), text);
    return [];
  }
  return entry.node.items.flatMap((item) => {
    const node = reading.follow(item);
    const name = textOf(reading, node) ?? "";
    if (known.includes(name) && entries.some((each) => each.name === name)) return [name];
    const text = known.includes(name)
      ? `owns ${name}, which are not in the file here; write ${name}: [] if there shall be none`
      : `must be one of ${known.join(", ")}`;
    reading.mistakes.add(reading.spotOf(node), text);
    return [];
  });
}

function readState(reading: Reading, node: Node | null): boolean | undefined {
  const text: unknown = isScalar(node) ? node.value : undefined;
  if (text === "ACTIVE" || text === "INACTIVE") return text === "ACTIVE";
  reading.mistakes.add(reading.spotOf(node), "must be one of ACTIVE, INACTIVE");
  return undefined;
}

function textOf(reading: Reading, node: Node | null): string | undefined {
  const text: unknown = isScalar(node) ? node.value : undefined;
  if (typeof text === "string" && text !== "") return text;
  reading.mistakes.add(reading.spotOf(node), "must be a text; put it in quotes");
  return undefined;
}

function readField(
  reading: Reading,
  kind: ObjectKind,
  { field, entry }: { readonly field: FileField; readonly entry: Pick<Entry, "node"> },
): readonly StatedField[] {
  const spot = reading.spotOf(entry.node);
  if (field.reference !== undefined) {
    const value = textOf(reading, entry.node);
    return value === undefined ? [] : [{ ...field, spot, value, isSecret: false }];
  }
  const pairs = kind.pairs?.[field.field.name];
  const read =
    pairs === undefined
      ? readFieldValue(reading, field.field, entry.node)
      : readPairs(reading, { field: field.field, pairs, node: entry.node });
  return read === undefined ? [] : [{ ...field, ...read, spot }];
}

function readList(
  reading: Reading,
  kind: ObjectKind,
  { key, node, isOwned }: Entry & { readonly isOwned: boolean },
): WantedList {
  const list = { kind, spot: reading.spotOf(key), isOwned };
  const objects = objectsIn(reading, kind, node);
  checkNames(reading.mistakes, kind, objects);
  return { ...list, objects };
}

function objectsIn(reading: Reading, kind: ObjectKind, node: Node | null): readonly WantedObject[] {
  switch (kind.form) {
    case "one":
      return [
        kind.inline === undefined ? readObject(reading, kind, node) : readInline(reading, kind, { node }),
      ];
    case "map":
      return entriesOf(reading, node).map((entry) => readInline(reading, kind, entry));
    case "names":
    case "list":
      if (!isSeq(node)) {
        reading.mistakes.add(reading.spotOf(node), "must be a list");
        return [];
      }
      return node.items.map((item) => {
        const followed = reading.follow(item);
        return kind.form === "list"
          ? readObject(reading, kind, followed)
          : readInline(reading, kind, { node: followed });
      });
  }
}

/** Reads an object that the file has as one value, beside its name if it is a mapping from names. */
function readInline(
  reading: Reading,
  kind: ObjectKind,
  { name, key, node }: Partial<Entry> & Pick<Entry, "node">,
): WantedObject {
  reading.count();
  const fields = fieldsOf(kind);
  const [first = ""] = kind.names;
  const valueField = fields.find(({ field }) => field.name === (kind.inline ?? first));
  if (valueField === undefined) throw new Error(`${kind.key} has no field for its value`);
  const stated = [...readField(reading, kind, { field: valueField, entry: { node } })];
  const nameField = fields.find(({ field }) => field.name === first);
  if (name !== undefined && key !== undefined && nameField !== undefined)
    stated.push({ ...nameField, spot: reading.spotOf(key), value: name, isSecret: false });
  return {
    spot: reading.spotOf(key ?? node),
    fields: new Map(stated.map((each) => [each.field.name, each])),
    projectOwner: undefined,
    isActive: undefined,
    children: [],
  };
}
