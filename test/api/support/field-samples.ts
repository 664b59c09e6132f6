import { generateKeyPairSync, randomUUID } from "node:crypto";
import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { samlMetadata, uniqueName } from "../../support/world.ts";

/** A field of a request and what stands in it. */
export interface Sampled {
  /** The proto path, as errors name it: `jwt.issuer`. Items of a list have no place of their own. */
  readonly path: string;
  /** The name in JSON. */
  readonly jsonName: string;
  readonly value: JsonValue;
}

/** A request in JSON, and what it sends in each of its fields. */
export interface SampledRequest {
  readonly request: JsonObject;
  readonly fields: readonly Sampled[];
}

/** Which fields get a value, and which value. */
export interface Choices {
  /** Values by proto path; every other field gets a sample. */
  readonly given: Readonly<Record<string, JsonValue>>;
  /** Paths that get no value, with everything in them. */
  readonly without: ReadonlySet<string>;
}

/** Fills every field of a request, so that a field which is added to the proto is sent without a change here. */
export function sampleRequest(message: DescMessage, choices: Choices, prefix = ""): SampledRequest {
  const request: Record<string, JsonValue> = {};
  const fields: Sampled[] = [];
  for (const field of message.fields) {
    const path = `${prefix}${field.name}`;
    if (choices.without.has(path)) continue;
    const given = choices.given[path];
    const inner = given === undefined ? innerMessageOf(field) : undefined;
    if (inner !== undefined) {
      const sampled = sampleRequest(inner, choices, `${path}.`);
      request[field.jsonName] = field.fieldKind === "list" ? [sampled.request] : sampled.request;
      fields.push(...sampled.fields);
      continue;
    }
    const value = given ?? sampleOf(field);
    request[field.jsonName] = value;
    fields.push({ path, jsonName: field.jsonName, value });
  }
  return { request, fields };
}

/** Lists which fields of each oneof are left out, so that each of its fields is sent in one of the requests. */
export function listVariants(message: DescMessage): readonly (readonly string[])[] {
  const count = Math.max(1, ...message.oneofs.map(({ fields }) => fields.length));
  return Array.from({ length: count }, (_, index) =>
    message.oneofs.flatMap(({ fields }) =>
      fields.filter((_field, place) => place !== index % fields.length).map(({ name }) => name),
    ),
  );
}

/** Says whether JSON has the value under that name, anywhere; in a list it may stand among others. */
export function shows(json: JsonValue, name: string, value: JsonValue): boolean {
  if (Array.isArray(json)) return json.some((item) => shows(item, name, value));
  if (typeof json !== "object" || json === null) return false;
  return Object.entries(json).some(
    ([key, held]) => (key === name && isHeld(held, value)) || shows(held, name, value),
  );
}

function isHeld(held: JsonValue, value: JsonValue): boolean {
  if (JSON.stringify(held) === JSON.stringify(value)) return true;
  return Array.isArray(held) && Array.isArray(value) && value.every((item) => held.includes(item));
}

/** A message of ours with fields. Others, such as instants, are values. */
function innerMessageOf(field: DescField): DescMessage | undefined {
  const { message } = field;
  if (message === undefined || message.typeName.startsWith("google.")) return undefined;
  return message.fields.length === 0 ? undefined : message;
}

/** What fields need to be accepted, by their names; any other text may be any text. */
const legal: Readonly<Record<string, () => JsonValue>> = {
  email: () => `${unique()}@example.com`,
  phone: () => `+4179${String(1_000_000 + counter++).slice(-7)}`,
  password: () => `a long phrase of words ${unique()}`,
  preferred_language: () => "de-CH",
  jwt_endpoint: () => `https://idp.example.com/${unique()}`,
  keys_endpoint: () => `https://idp.example.com/${unique()}`,
  issuer: () => `https://idp.example.com/${unique()}`,
  base_url: () => `https://idp.example.com/${unique()}`,
  tenants: () => randomUUID(),
  team_id: () => randomUUID().replaceAll("-", "").slice(0, 10).toUpperCase(),
  private_key_id: () => randomUUID().replaceAll("-", "").slice(0, 10).toUpperCase(),
  private_key: () => newSigningKey(),
  metadata_url: () => `http://127.0.0.1:9/${unique()}`, // nothing listens there
  metadata_xml: () => Buffer.from(samlMetadata(`https://sp.example.com/${unique()}`)).toString("base64"),
  redirect_uris: () => `https://app.example.com/${unique()}`,
  post_logout_redirect_uris: () => `https://app.example.com/${unique()}`,
  back_channel_logout_uri: () => `https://app.example.com/${unique()}`,
  resource: () => `https://api.example.com/${unique()}`,
  additional_origins: () => `https://${unique()}.example.com`,
  header_name: () => `x-${unique()}`,
  expiration_date: () => "2096-10-02T07:06:40Z",
  start_date: () => "2036-02-29T23:59:59.000001Z",
  end_date: () => "9999-12-31T23:59:59.999999Z",
};

function sampleOf(field: DescField): JsonValue {
  const value = legal[field.name]?.() ?? sampleOfType(field);
  return field.fieldKind === "list" ? [value] : value;
}

/** Never what the field has by default. */
function sampleOfType({ name, scalar, enum: enumeration, message }: DescField): JsonValue {
  if (enumeration !== undefined) return enumeration.values.at(-1)?.name ?? "";
  if (message !== undefined) return {};
  if (scalar === ScalarType.BOOL) return true;
  return scalar === ScalarType.STRING ? uniqueName(name).replaceAll(" ", "-") : 7;
}

/** A key that client secrets for Apple can be signed with. */
function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ format: "pem", type: "pkcs8" });
}

let counter = 0;

/** A text that may stand in a URL or a header. */
function unique(): string {
  counter += 1;
  return `sample-${process.pid}-${counter}`;
}
