import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { hostileTexts } from "./requests.ts";
import type { Random } from "./random.ts";

/** One thing that is done to the JSON of a request. */
interface Mutation {
  readonly what: string;
  readonly make: (input: { json: JsonObject; desc: DescMessage; random: Random }) => Uint8Array | string;
}

export interface MutatedBody {
  readonly what: string;
  readonly body: Buffer;
  /** No caller may get further with it than to INVALID_REQUEST. */
  readonly isUndecodable?: boolean;
}

/** Returns the JSON of a request with one thing, or two, done to it. */
export function mutateJson(json: JsonObject, desc: DescMessage, random: Random): MutatedBody {
  const { what, make } = random.pick(mutations);
  const made = make({ json, desc, random });
  const body = Buffer.from(made as string); // of a text or of bytes
  return random.chance(0.1)
    ? { what: `${what}, and bytes flipped`, body: flip(body, random) }
    : { what, body, isUndecodable: undecodable.has(what) };
}

const undecodable = new Set(["a key twice", "bytes that are no UTF-8"]);

/** Changes some bytes. */
export function flip(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  for (let count = 1 + random.below(3); count > 0 && changed.length > 0; count--) {
    const at = random.below(changed.length);
    changed[at] = random.chance(0.5) ? random.below(256) : (changed[at] ?? 0) ^ (1 << random.below(8));
  }
  return changed;
}

/** Values of every kind, and those that are like one and are not. */
const values: readonly string[] = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "-1",
  "1.5",
  "1e3",
  "1e400",
  "-1e400",
  "1e-400",
  "9007199254740993",
  "-9007199254740993",
  "18446744073709551616",
  "4294967296",
  "2147483648",
  "9223372036854775808",
  "01",
  "+1",
  ".5",
  "1.",
  "0x10",
  "NaN",
  "Infinity",
  "-Infinity",
  '"NaN"',
  '"Infinity"',
  "undefined",
  "1n",
  "'a'",
  "`a`",
  '""',
  '"a"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\u0001"',
  '"\\x41"',
  '"\\"',
  '"a\nb"',
  '"="',
  '"AQ"',
  '"A"',
  '"AQ==="',
  '"-_-_"',
  '"+/+/"',
  '"A Q="',
  '"💥"',
  '"2026-13-01T00:00:00Z"',
  '"1e3"',
  '"-5"',
  '"9999-12-31T23:59:60Z"',
  '"99999-01-01T00:00:00Z"',
  '"PROJECT_STATE_ACTIVE"',
  '"NOT_A_VALUE"',
  '"1.0"',
  "[]",
  "[null]",
  "[[]]",
  "{}",
  '{"":0}',
  '{"@type":"type.googleapis.com/google.protobuf.Any"}',
  "[1,2,3]",
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"toString":1}',
  "// c",
  "",
];

const keys: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
  "then",
  "$typeName",
  "$unknown",
  "case",
  "value",
  "@type",
  "",
  "0",
  "length",
  "toJSON",
  "isVerified",
  "orgId",
  "userId",
  "\ud800",
  "a\u0000b",
  "\u202e",
  "💥",
  "x".repeat(5000),
  "[ext.x]",
  "name.first",
  "name[0]",
  "NAME",
  "_name",
];

const mutations: readonly Mutation[] = [
  {
    what: "a value of another kind",
    make: ({ json, random }) => replaceValue(json, random, random.pick(values)),
  },
  {
    what: "two values of another kind",
    make: ({ json, random }) => replaceValue(json, random, random.pick(values), random.pick(values)),
  },
  {
    what: "a hostile text",
    make: ({ json, random }) => replaceValue(json, random, JSON.stringify(random.pick(hostileTexts))),
  },
  {
    what: "a key that means something elsewhere",
    make: ({ json, random }) => insert(json, `${JSON.stringify(random.pick(keys))}:${random.pick(values)}`),
  },
  {
    what: "a key written with escapes",
    make: ({ json, random }) =>
      insert(
        json,
        `"${Array.from(random.pick(["__proto__", "name", "constructor"]), escape).join("")}":{"a":1}`,
      ),
  },
  {
    what: "a key twice",
    make: ({ json, random }) => {
      const key = random.pick(Object.keys(insertable(json)));
      return insert(insertable(json), `${JSON.stringify(key)}:${random.pick(values)}`);
    },
  },
  {
    what: "a field under both of its names",
    make: ({ json, desc, random }) => {
      const field = desc.fields.length === 0 ? undefined : random.pick(desc.fields);
      return insert(json, `"${field?.name ?? "a"}":"b","${field?.jsonName ?? "a"}":"b"`);
    },
  },
  {
    what: "fields of one oneof",
    make: ({ json, desc }) =>
      insert(
        json,
        desc.oneofs.flatMap((oneof) => oneof.fields.map(({ jsonName }) => `"${jsonName}":{}`)).join(",") ||
          '"a":1',
      ),
  },
  {
    what: "an enum that is not there",
    make: ({ json, desc, random }) => {
      const field = desc.fields.find((each) => each.enum !== undefined);
      return insert(
        json,
        `"${field?.name ?? "stylingType"}":${random.pick(["99", "-1", '"NOPE"', "1.5", "2147483648", '"1"', "null", "[]"])}`,
      );
    },
  },
  {
    what: "truncated",
    make: ({ json, random }) => {
      const text = JSON.stringify(json);
      return text.slice(0, random.below(text.length));
    },
  },
  {
    what: "something behind",
    make: ({ json, random }) =>
      JSON.stringify(json) +
      random.pick(["{}", "]", "\u0000", "null", "//", "\ufeff", ",", "}", JSON.stringify(json), " \n\t x"]),
  },
  {
    what: "something in front",
    make: ({ json, random }) =>
      random.pick(["\ufeff", ")]}'\n", "\u0000", "/**/", "x", "\u00a0", "[", "\u001e"]) +
      JSON.stringify(json),
  },
  { what: "no object", make: ({ random }) => random.pick(values) },
  {
    what: "empty or blank",
    make: ({ random }) => random.pick(["", " ", "\n", "\ufeff", "\u0000", "{", "}", '"', "[", "\\", "-"]),
  },
  {
    what: "comments and commas",
    make: ({ json, random }) =>
      JSON.stringify(json).replace(/[,}]/, random.pick([",}", "/* c */}", "// c\n}", ",,"])),
  },
  { what: "other quotes", make: ({ json }) => JSON.stringify(json).replaceAll('"', "'") },
  { what: "bytes flipped", make: ({ json, random }) => flip(Buffer.from(JSON.stringify(json)), random) },
  {
    what: "bytes that are no UTF-8",
    make: ({ json, random }) => {
      const text = Buffer.from(JSON.stringify(json));
      const at = random.below(text.length);
      const bad = random.pick([
        [0xff],
        [0xed, 0xa0, 0x80],
        [0xc0, 0xaf],
        [0xf4, 0x90, 0x80, 0x80],
        [0xe2, 0x82],
        [0x80],
        [0xf8, 0x88, 0x80, 0x80, 0x80],
      ]);
      return Buffer.concat([text.subarray(0, at), Buffer.from(bad), text.subarray(at)]);
    },
  },
  {
    what: "another encoding",
    make: ({ json, random }) => {
      const text = Buffer.from(JSON.stringify(json), "utf16le");
      return random.chance(0.5) ? text : Buffer.concat([Buffer.from([0xff, 0xfe]), text.swap16()]);
    },
  },
  {
    what: "nested deeply",
    make: ({ json, random }) => {
      const depth = random.pick([99, 100, 101, 1000, 10_000]);
      const [open, close] = random.pick([
        ["[", "]"],
        ['{"a":', "}"],
        ['{"__proto__":', "}"],
        ['[{"a":', "}]"],
      ] as const);
      const text = `${open.repeat(depth)}1${random.chance(0.7) ? close.repeat(depth) : ""}`;
      return random.chance(0.5) ? text : replaceValue(json, random, text);
    },
  },
  {
    what: "a long text",
    make: ({ json, random }) =>
      replaceValue(
        json,
        random,
        `"${random.pick(["a", "😀", "\\u0061", "\\\\", "é", " "]).repeat(random.pick([201, 2049, 20_000]))}"`,
      ),
  },
  {
    what: "many keys",
    make: ({ json, random }) =>
      insert(
        json,
        Array.from({ length: random.pick([10, 100, 2000]) }, (_, at) => `"k${at}":${at}`).join(","),
      ),
  },
  {
    what: "many entries",
    make: ({ json, random }) =>
      replaceValue(
        json,
        random,
        `[${Array.from({ length: random.pick([51, 1001, 5000]) }, () => random.pick(['"a"', "0", "{}"])).join(",")}]`,
      ),
  },
  {
    what: "a long number",
    make: ({ json, random }) =>
      replaceValue(
        json,
        random,
        `${random.pick(["", "-", "0.", "1e"])}${"9".repeat(random.pick([20, 41, 400, 10_000]))}`,
      ),
  },
];

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function insertable(json: JsonObject): JsonObject {
  return Object.keys(json).length === 0 ? { name: "a" } : json;
}

/** Puts the text of a member at the end of the object. */
function insert(json: JsonObject, member: string): string {
  const text = JSON.stringify(json);
  return text === "{}" ? `{${member}}` : `${text.slice(0, -1)},${member}}`;
}

/** Puts the text of a value in the place of one of those that there are. */
function replaceValue(json: JsonObject, random: Random, ...texts: readonly string[]): string {
  const marked = texts.map((text, index) => [`@@${index}@@`, text] as const);
  let changed: JsonValue = json;
  for (const [mark] of marked) changed = replaceOne(changed, random, mark);
  return marked.reduce(
    (text, [mark, value]) => text.replace(`"${mark}"`, () => value),
    JSON.stringify(changed),
  );
}

function replaceOne(json: JsonValue, random: Random, mark: string): JsonValue {
  if (Array.isArray(json) && json.length > 0 && random.chance(0.7)) {
    const at = random.below(json.length);
    return json.map((item, index) => (index === at ? replaceOne(item, random, mark) : item));
  }
  if (typeof json === "object" && json !== null && !Array.isArray(json) && Object.keys(json).length > 0) {
    const at = random.pick(Object.keys(json));
    const value = json[at] ?? null;
    const isLeaf = typeof value !== "object" || value === null || random.chance(0.4);
    return { ...json, [at]: isLeaf ? mark : replaceOne(value, random, mark) };
  }
  return mark;
}
