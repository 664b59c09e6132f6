import {
  type DescField,
  type DescMessage,
  type DescMethodUnary,
  fromJson,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { samlMetadata } from "../../support/world.ts";
import { isTakingAway } from "./expendable.ts";
import type { Stock } from "./ground.ts";
import type { Random } from "./random.ts";

/** A request that is well-formed, and right but for chance. */
export interface Plain {
  readonly method: DescMethodUnary;
  readonly json: JsonObject;
}

/** Returns a request of the method with random values, made from its description. */
export function createPlain(method: DescMethodUnary, ground: Stock, random: Random): Plain {
  if (!isTakingAway(method.name)) return { method, json: messageOf(method.input, ground, random, 0) };
  const expendable = Object.entries(ground.expendable).map(([name, ids]) => [
    name,
    [random.pick(ids), ...ids],
  ]);
  const values = { ...ground.values, ...(Object.fromEntries(expendable) as Stock["values"]) };
  return { method, json: messageOf(method.input, { ...ground, values }, random, 0) };
}

/** Returns the request in binary protobuf. */
export function toBytes({ method, json }: Plain): Buffer {
  return Buffer.from(toBinary(method.input, fromJson(method.input, json)));
}

export interface RestCall {
  readonly verb: string;
  readonly path: string;
  /** What stays for the body or the query. */
  readonly rest: JsonObject;
  readonly hasBody: boolean;
}

/** Returns verb, path and the rest of the request on its REST path. */
export function toRest({ method, json }: Plain): RestCall {
  const rule = hasOption(method, http) ? getOption(method, http) : undefined;
  if (rule?.pattern.case === undefined || rule.pattern.case === "custom")
    return { verb: "POST", path: rpcPath(method), rest: json, hasBody: true };
  const rest = { ...json };
  const path = rule.pattern.value.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const key = nameInJson(method.input, name);
    const value = rest[key];
    delete rest[key];
    return encodeURIComponent(typeof value === "string" && value !== "" ? value : "0");
  });
  return { verb: rule.pattern.case.toUpperCase(), path, rest, hasBody: rule.body === "*" };
}

export function rpcPath(method: DescMethodUnary): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/** Returns the fields as a query with its question mark; nothing for none. */
export function toQuery(fields: JsonObject): string {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

function nameInJson(desc: DescMessage, name: string): string {
  return desc.fields.find((field) => field.name === name)?.jsonName ?? name;
}

function messageOf(desc: DescMessage, ground: Stock, random: Random, depth: number): JsonObject {
  const chosen = new Map(desc.oneofs.map((oneof) => [oneof, random.pick(oneof.fields)]));
  const fields = desc.fields.filter((field) =>
    field.oneof === undefined ? random.chance(0.9) : chosen.get(field.oneof) === field,
  );
  // Exactly one of the two makes a request that can succeed.
  const isSaml = fields.some(({ name }) => name === "metadata_xml");
  return Object.fromEntries(
    fields
      .filter(({ name }) => name !== "metadata_url" || !isSaml)
      .map((field) => [field.jsonName, fieldOf(field, ground, random, depth)]),
  );
}

function fieldOf(field: DescField, ground: Stock, random: Random, depth: number): JsonValue {
  const single = () => singleOf(field, ground, random, depth);
  if (field.fieldKind === "list") return Array.from({ length: random.below(4) }, single);
  if (field.fieldKind === "map") return { [random.text(3)]: single() };
  return single();
}

function singleOf(field: DescField, ground: Stock, random: Random, depth: number): JsonValue {
  if (field.enum !== undefined) return random.pick(field.enum.values).name;
  if (field.message !== undefined) {
    switch (field.message.typeName) {
      case "google.protobuf.Struct":
        return credentialOf(random);
      case "google.protobuf.Timestamp":
        return random.pick([
          "2099-01-01T00:00:00Z",
          "1970-01-01T00:00:00Z",
          "9999-12-31T23:59:59.999999999Z",
        ]);
      case "google.protobuf.Duration":
        return random.pick(["0s", "1.5s", "-315576000000.999999999s"]);
      case "google.protobuf.Value":
        return random.pick([null, true, 1.5, "text", [1, "a"], { a: null }]);
      case "google.protobuf.Int64Value":
        return random.pick([0, "-1", "9223372036854775807"]);
      case "google.protobuf.StringValue":
        return random.pick(hostileTexts);
      default:
        return depth > 4 ? {} : messageOf(field.message, ground, random, depth + 1);
    }
  }
  return scalarOf(field, ground, random);
}

function scalarOf(field: DescField, ground: Stock, random: Random): JsonValue {
  switch (field.scalar) {
    case ScalarType.BOOL:
      return field.name === "instance" || field.name === "is_verified" || random.chance(0.5);
    case ScalarType.BYTES:
      return Buffer.from(samlMetadata(`https://sp.example.com/${random.text(12)}`)).toString("base64");
    case ScalarType.STRING:
      return textOf(field.name, ground, random);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return random.next();
    default:
      return random.below(1100);
  }
}

function textOf(name: string, ground: Stock, random: Random): string {
  const known = Object.hasOwn(ground.values, name) ? ground.values[name] : undefined;
  // Ids of objects that can be used come first in the lists.
  if (known !== undefined) return random.chance(0.6) ? (known[0] ?? "") : random.pick(known);
  if (name === "page_token") return "";
  if (name === "email") return `${random.text(8)}@example.com`;
  if (name === "phone") return `+4179${String(1_000_000 + random.below(8_999_999))}`;
  if (name === "preferred_language") return random.pick(["", "de", "en-GB"]);
  if (name === "metadata_url")
    return random.pick(["https://127.0.0.1/metadata", "https://nowhere.example/x"]);
  if (/endpoint|issuer/.test(name)) return `https://${random.text(6)}.example.com`;
  if (name === "header_name") return `x-${random.text(5)}`;
  if (name === "domain") return random.pick(["", "localhost"]);
  if (name === "verification_code") return String(10_000_000 + random.below(89_999_999));
  return random.pick(hostileTexts).replace("?", random.text(8));
}

/** Names and the like that mean something elsewhere. The question mark becomes random. */
export const hostileTexts: readonly string[] = [
  "Name ?",
  "Name ?",
  "Name ?",
  "' OR 1=1 -- ?",
  '"; DROP TABLE events; -- ?',
  "%?%",
  "_?_",
  "*?",
  "\\?",
  "__proto__",
  "constructor",
  "toString ?",
  "Ünïcödé 😀 ?",
  "ﬁ ﬀ Å ? İ ı ẞ",
  "a\u202Eb ?",
  "\u200B?",
  "🏳️‍🌈 ?",
  "<script>alert(1)</script>?",
  "${jndi:ldap://127.0.0.1/?}",
  "../../?",
  "a\nb ?",
  "\u0000?",
  " ? ",
  "",
];

function credentialOf(random: Random): JsonObject {
  const base64 = (length: number) => random.bytes(length).toString("base64url");
  return {
    id: base64(16),
    rawId: base64(16),
    type: "public-key",
    response: { clientDataJSON: base64(80), attestationObject: base64(120) },
  };
}
