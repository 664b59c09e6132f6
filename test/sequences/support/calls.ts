import {
  type DescField,
  type DescMessage,
  type DescMethodUnary,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { OrganizationSource } from "../../../gen/gatehouse/v1/access_pb.ts";
import { Effect, effect } from "../../../gen/gatehouse/v1/effect_pb.ts";
import type { Random } from "../../hostile/support/random.ts";
import { roleHolds, roleNames } from "../../api/support/tenancy-roles.ts";
import { listMethods, ruleOf } from "../../support/methods.ts";
import { type Actor, holds, type Scope, wholeOf } from "./actors.ts";
import { readStored } from "./stored.ts";
import { drawValue } from "./values.ts";
import type { Thing, World } from "./world.ts";

/** One call, ready to be made. */
export interface Call {
  readonly method: DescMethodUnary;
  readonly body: JsonObject;
  readonly organizationId: string;
}

/** Batches make the calls that are here one by one, and the others need what only a browser or a telephone has. */
const leftOut = new Set(["Write", "VerifyU2f", "VerifyPasskey", "VerifyPhone", "VerifyEmail", "VerifyTotp"]);

/** Every rpc that changes something. */
export const writes = (await listMethods()).filter(
  (method) => getOption(method, effect) !== Effect.READ && !leftOut.has(method.name),
);

const rules = new Map(writes.map((method) => [method, ruleOf(method)]));

/** A kind of call: of an update, each field that it may change is one. */
export interface Write {
  readonly method: DescMethodUnary;
  readonly field: DescField | undefined;
}

/** Every kind of call. */
export const allWrites: readonly Write[] = writes.flatMap((method): readonly Write[] => {
  const fields = method.input.fields.filter(({ name }) => !/(^|_)id$/.test(name) && name !== "role_key");
  return method.name.startsWith("Update")
    ? fields.map((field) => ({ method, field }))
    : [{ method, field: undefined }];
});

/** Says whether the call gives something, or may make what is there give it. Most others take away, or change what is shown. */
export function isSharp({ method, field }: Write): boolean {
  if (
    /^(?:Remove|BulkRemove|Deactivate|Lock|Terminate|Reset|Resend|Generate.*Codes|Register)/.test(method.name)
  )
    return false;
  return !/name|description|language|signing|styling|label|uri$|logout|origins|session|min_|max_|group|second|dev_mode|security_profile/.test(
    field?.name ?? "",
  );
}

/** Says whether the rights of the actor may open the call somewhere. What it says of the caller's own user is always there. */
export function mayCall({ rights }: Actor, { method }: Write): boolean {
  const rule = rules.get(method);
  return rule?.self === true || rights.some(({ role }) => roleHolds(role, rule?.permission ?? ""));
}

/** What a call is drawn from. */
export interface DrawnFrom {
  readonly world: World;
  readonly actor: Actor;
  /** Those of the world, and what earlier calls have made. */
  readonly things: readonly Thing[];
  readonly random: Random;
}

/**
 * Draws a call: one that changes a stored object begins with what is stored, and changes one field of it. `about`: the object that it
 * is about, or ids one of which it names. Undefined when there is nothing that it could be about.
 */
export async function drawCall(
  from: DrawnFrom,
  { method, field: changed }: Write,
  about?: ReadonlySet<string> | Thing,
): Promise<Call | undefined> {
  const { world, random } = from;
  const target = about !== undefined && "ids" in about ? about : pickTarget(from, method, about);
  if (target === undefined) return undefined;
  const known = namedBy(method, target);
  const stored = await readStored(world, method, target);
  const drawn: Record<string, JsonValue> = { ...stored, ...known };
  const open = method.input.fields.filter(({ jsonName }) => !Object.hasOwn(known, jsonName));
  const settings = chooseOneofs(method.input, random, open);
  if (stored === undefined) {
    for (const field of settings) {
      const value = drawField(from, method, target, field);
      if (value !== undefined) drawn[field.jsonName] = value;
    }
  } else if (changed !== undefined) {
    if (changed.oneof !== undefined && !Object.hasOwn(stored, changed.jsonName)) return undefined; // of another kind
    const { field, value } = changeOne(from, { method, target, stored, field: changed });
    drawn[field] = value;
  }
  if (method.name === "AddMembership") drawn["roles"] = [pickRole(random, drawn)];
  return { method, body: drawn, organizationId: organizationOf(from, method, target) };
}

/** Draws a role that exists on the scope that the request names. */
function pickRole(random: Random, request: JsonObject): string {
  const kind =
    ["instance", "organizationId", "projectGrantId"].find((field) => Object.hasOwn(request, field)) ??
    "project";
  const pattern = { instance: /^INSTANCE/, organizationId: /^ORG/, projectGrantId: /GRANT/ }[kind];
  return random.pick(roleNames.filter((role) => (pattern ?? /^PROJECT_(?!GRANT)/).test(role)));
}

function pickTarget(
  { actor, things, random }: DrawnFrom,
  method: DescMethodUnary,
  about: ReadonlySet<string> | undefined,
): Thing | undefined {
  const isAbout = ({ ids }: Thing) => about === undefined || Object.values(ids).some((id) => about.has(id));
  const fitting = things.filter((thing) => fits(method, thing) && isAbout(thing));
  const near = fitting.filter((thing) => isNear(actor, method, thing));
  const targets = random.chance(0.05) ? fitting : near;
  return targets.length === 0 ? undefined : random.pick(targets);
}

/** Returns the objects that the actor may make the call about. */
export function targetsOf(actor: Actor, { method }: Write, things: readonly Thing[]): readonly Thing[] {
  return things.filter((thing) => fits(method, thing) && isNear(actor, method, thing));
}

/** What only people have. */
const ofPeople = /Human|Phone|Email|Password|Totp|U2f|Passkey|Recovery|IdpLink/;

/** Says whether the object is one of those that the fields of the request name. */
function fits({ name, input, parent }: DescMethodUnary, { kind }: Thing): boolean {
  const has = (field: string) => input.fields.some((one) => one.name === field);
  if (has("membership_id")) return kind === "membership";
  if (has("app_id")) {
    if (has("key_id")) return kind === "applicationKey";
    if (/Saml/.test(name)) return kind === "saml";
    if (/Oidc|Secret/.test(name)) return kind === "oidc";
    return /Api/.test(name) ? kind === "api" : kind === "oidc" || kind === "api";
  }
  if (has("session_id")) return kind === "session";
  if (has("token_id")) return kind === (/Refresh/.test(name) ? "refreshToken" : "token");
  if (has("external_user_id") && !name.startsWith("Add")) return kind === "link";
  if (has("idp_id") && !has("user_id")) return kind === "provider";
  if (parent.name === "GroupService") {
    if (name === "AddGroup") return kind === "organization";
    return kind === (has("grant_id") ? "groupGrant" : "group");
  }
  if (has("grant_ids")) return kind === "userGrant";
  if (has("grant_id")) return kind === (has("project_id") ? "projectGrant" : "userGrant");
  if (/^(?:Update|Remove)ProjectRole$/.test(name)) return kind === "role";
  if (name === "AddMembership") return ["human", "service", "group"].includes(kind);
  if (name === "AddUserGrant") return kind === "project" || kind === "projectGrant";
  if (has("project_id")) return kind === "project";
  if (has("id")) return kind === (parent.name === "OrganizationService" ? "organization" : "project");
  if (has("key_id")) return kind === "serviceKey";
  if (has("user_id")) {
    if (/Service/.test(name)) return kind === "service";
    return kind === "human" || (kind === "service" && !ofPeople.test(name));
  }
  return kind === "organization";
}

/** Says whether the rights of the actor may reach the object. Most calls on others are refused, which other matrices look after. */
function isNear(actor: Actor, method: DescMethodUnary, { ids, organizationId }: Thing): boolean {
  const permission = rules.get(method)?.permission ?? "";
  if (ids["userId"] === actor.userId) return true;
  const id = ids["projectId"];
  const whole = wholeOf(organizationId);
  const project: Scope = { kind: "project", id: id ?? "", organizationId };
  const granted: Scope = { ...project, kind: "projectGrant", id: ids["projectGrantId"] ?? "" };
  return [whole, project, granted].some((scope) => holds(actor, permission, scope));
}

function namedBy({ name, input }: DescMethodUnary, { ids }: Thing): JsonObject {
  if (name === "BulkRemoveUserGrants") return { grantIds: [ids["grantId"] ?? ""] };
  const named = input.fields.filter(({ jsonName }) => Object.hasOwn(ids, jsonName));
  return Object.fromEntries(named.map(({ jsonName }) => [jsonName, ids[jsonName] ?? ""]));
}

function organizationOf({ world, actor, things }: DrawnFrom, method: DescMethodUnary, target: Thing): string {
  const home = world.organizations[actor.place];
  if (method.name === "AddUserGrant" && target.kind === "projectGrant") return home;
  if (rules.get(method)?.organization !== OrganizationSource.HEADER) return "";
  if (target.organizationId !== "") return target.organizationId;
  return things.find(({ kind }) => kind === "organization")?.organizationId ?? "";
}

/** Leaves one field of each oneof. */
function chooseOneofs(
  input: DescMessage,
  random: Random,
  fields: readonly DescField[],
): readonly DescField[] {
  const chosen = new Map(input.oneofs.map((oneof) => [oneof, random.pick(oneof.fields)]));
  return fields.filter((field) => field.oneof === undefined || chosen.get(field.oneof) === field);
}

function drawField(
  from: DrawnFrom,
  method: DescMethodUnary,
  target: Thing,
  field: DescField,
): JsonValue | undefined {
  const value = drawValue(from, { method, target, field });
  if (value !== undefined || field.message === undefined || field.fieldKind === "list") return value;
  if (field.message.typeName.startsWith("google.")) return undefined;
  const inner = chooseOneofs(field.message, from.random, field.message.fields);
  return Object.fromEntries(
    inner.flatMap((one) => {
      const drawn = drawField(from, method, target, one);
      return drawn === undefined ? [] : [[one.jsonName, drawn]];
    }),
  );
}

interface Changing {
  readonly method: DescMethodUnary;
  readonly target: Thing;
  readonly stored: JsonObject;
  readonly field: DescField;
}

/** Changes the field; of a message in it one field; a flag to what it was not; a list by one more. */
function changeOne(
  from: DrawnFrom,
  { method, target, stored, field }: Changing,
): { readonly field: string; readonly value: JsonValue } {
  const before = stored[field.jsonName];
  const put = (value: JsonValue) => ({ field: field.jsonName, value });
  if (field.message !== undefined && field.fieldKind !== "list" && typeof before === "object") {
    const inner = before as JsonObject; // a message in JSON
    const one = from.random.pick(
      field.message.fields.filter(({ name }) => !/mapping|scopes|header/.test(name)),
    );
    const changed = changeOne(from, { method, target, stored: inner, field: one });
    return put({ ...inner, [changed.field]: changed.value });
  }
  if (field.scalar === ScalarType.BOOL) return put(before !== true);
  const value = drawValue(from, { method, target, field }) ?? before ?? "";
  const isMore = Array.isArray(value) && Array.isArray(before) && from.random.chance(0.7);
  return put(isMore ? [...new Set([...before, ...value])] : value);
}
