import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A JSON Schema out of a document, read freely. */
export type Loose = ReturnType<typeof JSON.parse>;

export type Path = readonly (string | number)[];

/** A request that differs in one place from one that is taken, and what the document says of it. */
export interface Probe {
  readonly what: string;
  readonly request: JsonObject;
  readonly isRefused: boolean;
  /** The place, as errors name it. */
  readonly field: string;
}

/** Says whether a value keeps a schema. */
export type Keeps = (schema: Loose, value: unknown) => boolean;

/** Makes probes out of the schemas of one document. */
export interface Prober {
  /** Yields a probe for each constraint on a request, and for values within it. */
  probesOf(schema: Loose, request: JsonObject): Generator<Probe>;
}

interface Place {
  readonly request: JsonObject;
  readonly at: Path;
}

/** Texts that rules tell apart. */
const texts = [
  "",
  " ",
  "x",
  "a b",
  "é名",
  "\t",
  "a\u0000",
  "a\u0085b",
  "\u2003",
  ".",
  "..",
  "...",
  ".x",
  "x.",
  "ä",
  "1",
  "0",
  "01",
  "-1",
  "9".repeat(20),
  "bulkId:x",
  "bulkId:",
  "*",
  '"5"',
  "5",
  "X-Name",
  "a:b",
  "+41781234567",
  "0041781234567",
  "tel:+41781234567",
  "a@example.com",
  "a@",
  "NOPE",
  "https://a.example/x",
  "https://a.example/?y",
  "http:/a",
  "ftp://a",
  "//a",
  "a.example",
  "https://u@a.example/",
  "https://a.example/#f",
  "https://a.example/a b",
  "HTTPS://",
  "https://a\\b",
];
/** How many texts a field gets whose schema another field has, too, and that one got all. */
const fewTexts = 6;

/** Returns what makes probes; `resolve` follows a `$ref`. */
export function createProber(resolve: (schema: Loose) => Loose, keeps: Keeps): Prober {
  const known = new Map<string, number>();
  const textsFor = (schema: Loose): readonly string[] => {
    const { description: _description, ...rest } = schema;
    const key = JSON.stringify(rest);
    const turn = known.get(key) ?? 0;
    known.set(key, turn + 1);
    const { minLength = 0, maxLength } = schema;
    const lengths = maxLength === undefined ? [] : [minLength - 1, minLength, maxLength, maxLength + 1];
    const all = [...texts, ...lengths.filter((length) => length >= 0).map((length) => "x".repeat(length))];
    return turn === 0
      ? all
      : Array.from({ length: fewTexts }, (_each, index) => all[(turn * 7 + index * 11) % all.length] ?? "");
  };
  function* walk(schema: Loose, place: Place): Generator<Probe> {
    const full = resolve(schema);
    yield* wrongTypes(full, place);
    if (full.allOf !== undefined) yield* combinations(full, place, resolve);
    if (full.properties !== undefined) yield* ofObject(full, place);
    if (full.type === "array") yield* ofArray(full, place);
    if (full.type === "string") yield* ofText(full, place);
  }
  function* ofObject(schema: Loose, place: Place): Generator<Probe> {
    if (schema.additionalProperties === false)
      yield changed(place, "an unknown field", { at: ["surelyUnknown"], value: 1, isRefused: true });
    for (const name of schema.required ?? [])
      yield changed(place, "a required field is not there", {
        at: [name],
        value: undefined,
        isRefused: true,
      });
    for (const [name, property] of Object.entries<Loose>(schema.properties)) {
      const inner = { ...place, at: [...place.at, name] };
      if (isOtherChoice(schema, name, place)) continue;
      // What is not there cannot be changed inside; another request has it.
      if (valueAt(inner) !== undefined || resolve(property).properties === undefined)
        yield* walk(property, inner);
    }
  }
  function* ofArray(schema: Loose, place: Place): Generator<Probe> {
    const { minItems, maxItems, uniqueItems = false } = schema;
    const [first] = (valueAt(place) ?? []) as JsonValue[]; // the place of a list
    if (minItems !== undefined) yield changed(place, "too few", { value: [], isRefused: true });
    if (first === undefined) return;
    if (maxItems !== undefined)
      yield changed(place, "too many", {
        value: Array.from({ length: maxItems + 1 }, () => first),
        isRefused: true,
      });
    yield changed(place, "one twice", { value: [unnamed(first), unnamed(first)], isRefused: uniqueItems });
    yield* walk(schema.items, { ...place, at: [...place.at, 0] });
  }
  function* ofText(schema: Loose, place: Place): Generator<Probe> {
    if (
      schema.format === "date-time" ||
      schema.contentEncoding !== undefined ||
      schema.format?.endsWith("int64")
    )
      return;
    for (const value of schema.enum === undefined ? textsFor(schema) : [...schema.enum, "NOPE"]) {
      const isTaken = keeps(schema, value);
      if (!isTaken || (isExact(schema) && !judgedByMore.has(fieldOf(place.at))))
        yield changed(place, JSON.stringify(value), { value, isRefused: !isTaken });
    }
  }
  return { probesOf: (schema, request) => walk(schema, { request, at: [] }) };
}

/** Texts of which the service takes only some, as their descriptions say. */
const judgedByMore: ReadonlySet<string> = new Set([
  "page_token", // the one that the list gave out
  "aggregate_type", // one that there is
  "event_type",
  "event_types[0]",
  "domain", // one that is configured
  "preferred_language",
  "project_grant_id", // none for the owner of the project
  "user_id", // none if there is a group_id
  "password", // one that keeps the rules of the policy
  "encoded_hash", // in one of the formats
  "items[0].if_match", // only for changes of one object
  "items[0].organization_id", // none of a later item
  "resource", // a URI
  "claim", // one that is not reserved
  ...["name", "source", "key", "profile_field", "constant", "type", "targets[0]", "scope"].map(
    (name) => `mappings[0].${name}`, // one that fits the others
  ),
]);

/** Whether what keeps the schema is taken for certain, as far as one field goes. What an address is, a pattern cannot say. */
function isExact({ format, pattern = "", enum: names, anyOf }: Loose): boolean {
  const isRole = names?.includes("INSTANCE_OWNER") === true; // fits one kind of scope only
  return (
    format === undefined &&
    anyOf === undefined &&
    !isRole &&
    !pattern.includes("bulkId") &&
    !pattern.includes("A-Za-z]+")
  );
}

/** Whether another member of its choice was chosen: both together are refused. */
function isOtherChoice({ allOf = [] }: Loose, name: string, { request, at }: Place): boolean {
  if (valueAt({ request, at: [...at, name] }) !== undefined) return false;
  return allOf.some(({ oneOf = [] }: Loose) => oneOf.some(({ required }: Loose) => required?.includes(name)));
}

/** Yields a value of another type, where protobuf JSON has none that it takes for it. */
function* wrongTypes(
  { type, const: only, minimum, maximum, place: sentIn }: Loose,
  place: Place,
): Generator<Probe> {
  // In a path or a query everything is text.
  if (place.at.length === 0 || type === undefined || (type === "string" && sentIn !== undefined)) return;
  const value = type === "object" || type === "array" ? "x" : { x: 1 };
  yield changed(place, "another type", { value, isRefused: true });
  if (only === true) yield changed(place, "not the constant", { value: false, isRefused: true });
  if (minimum !== undefined)
    yield changed(place, "below the minimum", { value: minimum - 1, isRefused: true });
  if (maximum !== undefined)
    yield changed(place, "above the maximum", { value: maximum + 1, isRefused: true });
}

function* combinations(
  { allOf, properties }: Loose,
  place: Place,
  resolve: (schema: Loose) => Loose,
): Generator<Probe> {
  for (const part of allOf) {
    if (part.oneOf === undefined) continue;
    const members: string[] = part.oneOf.flatMap((each: Loose) => each.required ?? []);
    const chosen = members.filter((name) => valueAt({ ...place, at: [...place.at, name] }) !== undefined);
    const mayBeNone = members.length < part.oneOf.length;
    const none = members.reduce(
      (request, name) => replaced(request, [...place.at, name], undefined),
      place.request,
    );
    yield { what: "none of a choice", request: none, isRefused: !mayBeNone, field: fieldOf(place.at) };
    const other = members.find((name) => !chosen.includes(name));
    if (chosen.length === 0 || other === undefined) continue;
    const value = sampleOf(resolve(properties[other]));
    yield changed(place, "two of a choice", { at: [other], value, isRefused: true });
  }
}

/** Returns an item of a batch without the name that no other one may have; anything else as it is. */
function unnamed(entry: JsonValue): JsonValue {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
  const { bulkId: _bulkId, ...rest } = entry;
  return rest;
}

function sampleOf({ type, contentEncoding }: Loose): JsonValue {
  if (contentEncoding !== undefined) return "eA==";
  return type === "boolean" ? true : type === "object" ? {} : "1";
}

function changed(
  { request, at }: Place,
  what: string,
  change: { readonly at?: Path; readonly value: JsonValue | undefined; readonly isRefused: boolean },
): Probe {
  const path = [...at, ...(change.at ?? [])];
  const { isRefused, value } = change;
  return {
    what: `${fieldOf(path)}: ${what}`,
    request: replaced(request, path, value),
    isRefused,
    field: fieldOf(path),
  };
}

function valueAt({ request, at }: Place): JsonValue | undefined {
  return at.reduce<Loose>((value, key) => value?.[key], request);
}

/** Returns a copy with another value at the place; undefined takes it out. */
function replaced(request: JsonObject, path: Path, value: JsonValue | undefined): JsonObject {
  const copy: Loose = structuredClone(request);
  const parent = path.slice(0, -1).reduce((at, key) => (at[key] ??= {}), copy);
  const last = path.at(-1) ?? "";
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

function fieldOf(path: Path): string {
  return path
    .map((key) =>
      typeof key === "number"
        ? `[${key}]`
        : `.${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    )
    .join("")
    .slice(1);
}
