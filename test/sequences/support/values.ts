import { type DescField, type DescMethodUnary, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { roleNames } from "../../api/support/tenancy-roles.ts";
import { keyPairs } from "../../sites/oidc/support/machine.ts";
import { uniqueName } from "../../support/world.ts";
import { samlMetadata } from "./metadata.ts";
import type { DrawnFrom } from "./calls.ts";
import { evilUri, portalUri, type Thing } from "./world.ts";

/** The place of a value, and the object that the call is about. */
export interface Asked {
  readonly method: DescMethodUnary;
  readonly target: Thing;
  readonly field: DescField;
}

/** The password that an attacker sets. */
export const evilPassword = "the password of an attacker";
/** A mailbox of the attacker. */
export const evilMail = "mail@evil.example";

/** Draws a value that would help an attacker, or one that the call needs. Undefined: the field stays absent. */
export function drawValue(from: DrawnFrom, asked: Asked): JsonValue | undefined {
  const { field } = asked;
  const named = byName[field.name];
  if (named !== undefined) return named(from, asked);
  if (/(^|_)ids?$/.test(field.name)) return pickId(from, field.name);
  const { random } = from;
  if (field.enum !== undefined) {
    const value = random.pick(field.enum.values.filter(({ number }) => number !== 0)).name;
    if (field.fieldKind === "list") return random.chance(0.5) ? [value] : undefined;
    return random.chance(0.5) ? value : undefined;
  }
  if (field.message !== undefined) return undefined;
  if (field.scalar === ScalarType.BOOL) return random.chance(0.5);
  return field.scalar === ScalarType.STRING && field.fieldKind !== "list"
    ? uniqueName(field.name)
    : undefined;
}

function pickId({ things, random }: DrawnFrom, name: string): JsonValue {
  const jsonName = name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
  const found = things.filter(({ ids }) => Object.hasOwn(ids, jsonName));
  return found.length === 0 ? "" : (random.pick(found).ids[jsonName] ?? "");
}

/** Mostly somebody of the actor's own organization: others are known to few. */
function pickUser({ world, actor, things, random }: DrawnFrom): string {
  const all = things.filter(({ kind }) => kind === "human" || kind === "service");
  const home = world.organizations[actor.place];
  const own = all.filter(({ organizationId }) => organizationId === home);
  const users = random.chance(0.3) || own.length === 0 ? all : own;
  return random.pick(users).ids["userId"] ?? "";
}

function pickOf({ things, random }: DrawnFrom, kind: string, id: string): string {
  const found = things.filter((thing) => thing.kind === kind);
  return found.length === 0 ? "" : (random.pick(found).ids[id] ?? "");
}

/** Roles of the project that the call is about. */
function roleKeys({ things, random }: DrawnFrom, { target }: Asked): JsonValue {
  const projectId = target.ids["projectId"];
  const all = things.filter(({ kind, ids }) => kind === "role" && ids["projectId"] === projectId);
  return all.length === 0 ? [] : [random.pick(all).ids["roleKey"] ?? ""];
}

const word = (stem: string) => uniqueName(stem).replaceAll(/[^a-z0-9]/gi, "-");
const evilIssuer = ({ world }: DrawnFrom) => world.evil.issuer;
const maybe = (probability: number, value: JsonValue) => (from: DrawnFrom) =>
  from.random.chance(probability) ? value : undefined;

const byName: Readonly<Record<string, (from: DrawnFrom, asked: Asked) => JsonValue | undefined>> = {
  redirect_uris: () => [evilUri],
  post_logout_redirect_uris: () => [evilUri],
  additional_origins: maybe(0.3, ["https://evil.example"]),
  back_channel_logout_uri: maybe(0.3, evilUri),
  dev_mode: () => undefined,
  security_profile: () => undefined, // it only restricts, and needs other settings
  metadata_url: () => undefined,
  terms_url: maybe(0.3, "https://evil.example/terms"),
  privacy_url: () => undefined,
  help_url: maybe(0.3, "https://evil.example/help"),
  support_email: maybe(0.3, evilMail),
  metadata_xml: () => Buffer.from(samlMetadata(portalUri, evilUri)).toString("base64"),
  issuer: evilIssuer,
  jwt_endpoint: (from) => `${evilIssuer(from)}/jwt`,
  keys_endpoint: (from) => `${evilIssuer(from)}/keys`,
  header_name: () => "x-token",
  client_id: ({ world }) => world.provider.clientId,
  client_secret: maybe(0.3, "a secret of the attacker"),
  scopes: () => undefined,
  resource: maybe(0.3, "urn:example:evil"),
  granted_organization_id: (from) => pickOf(from, "organization", "id"),
  organization_id: (from) => pickOf(from, "organization", "id"),
  user_id: (from, { method, target }) =>
    method.name === "AddMembership" && target.kind === "group" ? undefined : pickUser(from),
  // A membership is of a user or of a group.
  group_id: (from, { method }) => (method.name === "AddMembership" ? undefined : pickOf(from, "group", "id")),
  user_ids: (from) => [pickUser(from)],
  group_ids: (from) => (from.random.chance(0.5) ? [pickOf(from, "group", "id")] : undefined),
  source_idp_id: () => undefined,
  source_hook_id: () => undefined,
  source_user_id: (from) => (from.random.chance(0.3) ? pickUser(from) : undefined),
  external_id: () => undefined,
  project_grant_id: (from, { method }) =>
    method.name === "AddMembership" ? pickOf(from, "projectGrant", "grantId") : undefined,
  instance: () => true,
  is_verified: () => true,
  except_session_id: () => undefined,
  external_user_id: ({ random, world }) =>
    random.chance(0.5) ? "a subject of the attacker" : world.provider.subject,
  role_key: () => word("role"),
  role_keys: roleKeys,
  roles: ({ random }, { field }) =>
    field.message === undefined ? [random.pick(roleNames)] : [{ roleKey: word("role") }],
  email: () => evilMail,
  phone: ({ random }) => `+4178${1_000_000 + random.below(8_999_999)}`,
  preferred_language: () => undefined,
  password: () => evilPassword,
  encoded_hash: () => undefined,
  current_password: () => undefined,
  verification_code: () => undefined,
  expiration_date: () => undefined,
  remove_start_date: maybe(0.2, true),
  remove_end_date: maybe(0.2, true),
  start_date: maybe(0.2, "2999-01-01T00:00:00Z"),
  end_date: ({ random }) =>
    random.chance(0.4) ? random.pick(["2001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"]) : undefined,
  public_key: () =>
    Buffer.from(keyPairs.EdDSA.publicKey.export({ format: "pem", type: "spki" })).toString("base64"),
  type: () => "KEY_TYPE_JSON",
  domain: () => undefined,
  attributes: ({ random }) =>
    [
      { name: "Email", source: "Email" },
      { name: "Roles", source: "Roles" },
    ].slice(random.below(2)),
  username: () => word("user"),
  min_password_length: () => undefined,
  max_password_attempts: maybe(0.3, 1),
  session_idle_seconds: () => undefined,
  session_lifetime_seconds: () => undefined,
  return_code: () => ({}),
  send_code: () => ({}),
  url_template: ({ world }) => `http://localhost:${world.ground.service.port}/?code={code}`,
};
