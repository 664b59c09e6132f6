import {
  create,
  type DescMessage,
  type DescMethodUnary,
  isMessage,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { MetadataService } from "../../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { AddHumanUserResponseSchema, UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { findEmailLineage } from "../../../identity/people/emails/repository.ts";
import { findUserById } from "../../../identity/people/user/repository.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { refusal, resourceNotFound } from "../errors/scim-error.ts";
import { isMembers, type ScimResource, plainTextOf } from "../schemas/resource.ts";
import type { RpcCall, RpcUnit, ScimRequest } from "../calls/rpc-calls.ts";
import { accountEmailOf, isPlainEmail, settleEmails } from "./emails.ts";
import { externalIdKey, keptAttributes, keptTextOf } from "./kept-attributes.ts";
import { findUserByExternalId, readScimUsers } from "./repository.ts";
import { toUserResource } from "./user-resource.ts";

const { addHumanUser, updateHumanUser, deactivateUser, reactivateUser, removeUser, setEmail, setPassword } =
  UserService.method;
const { bulkSetUserMetadata, removeUserMetadata } = MetadataService.method;

/** Adds the user of a resource, by AddHumanUser, BulkSetUserMetadata and DeactivateUser. */
export async function createUser(request: ScimRequest, wanted: ScimResource): Promise<ScimResource> {
  const resource = settleEmails(withEmail(wanted));
  const password = plainTextOf(resource["password"]);
  const profile = toProfile(resource);
  const work = async (unit: RpcUnit, answer: Message | undefined): Promise<ScimResource> => {
    const added = isMessage(answer, AddHumanUserResponseSchema)
      ? answer
      : await unit.call(addHumanUser, profile);
    const id = added.userId;
    await requireFreeExternalId(request, unit, { id, resource });
    const items = toKept(request, resource);
    if (items.size > 0) await setKept(unit, id, items);
    await vouchForEmail(request, unit, id);
    if (resource["active"] === false) await unit.call(deactivateUser, { userId: id });
    return await readUser(request, unit.tx, id);
  };
  const first: RpcCall | undefined =
    password === undefined
      ? undefined
      : toFirst(addHumanUser, { ...profile, firstPassword: { case: "password", value: password } });
  return await request.options.calls.write(request, work, first);
}

/**
 * Makes a user what `decide` says, by UpdateHumanUser, BulkSetUserMetadata, RemoveUserMetadata, DeactivateUser or ReactivateUser, and
 * SetPassword: calls that change nothing are left out.
 */
export async function changeUser(
  request: ScimRequest,
  id: string,
  {
    decide,
    password,
  }: { readonly decide: (before: ScimResource) => ScimResource; readonly password: string | undefined },
): Promise<ScimResource> {
  const work = async (unit: RpcUnit): Promise<ScimResource> => {
    const before = await readUser(request, unit.tx, id);
    const after = settleEmails(withEmail(decide(before)));
    await changeProfile(unit, id, { before, after });
    await changeKept(request, unit, id, { before, after });
    await vouchForEmail(request, unit, id);
    if (after["active"] === false && before["active"] === true)
      await unit.call(deactivateUser, { userId: id });
    if (after["active"] === true && before["active"] === false)
      await unit.call(reactivateUser, { userId: id });
    return await readUser(request, unit.tx, id);
  };
  const first = password === undefined ? undefined : toFirst(setPassword, { userId: id, password });
  return await request.options.calls.write(request, work, first);
}

/**
 * Verifies an address that the service user has set, by SetEmail, if its addresses are trusted. One that others have set is not the word of
 * the directory.
 */
async function vouchForEmail(request: ScimRequest, { tx, call }: RpcUnit, id: string): Promise<void> {
  if (!request.trustsMail) return;
  const { userId: serviceUserId } = request.caller;
  const [directory, user] = [await findUserById(tx, serviceUserId), await findUserById(tx, id)];
  if (directory?.kind !== "service" || !directory.trustMail) return;
  if (user?.kind !== "human" || user.isEmailVerified) return;
  if ((await findEmailLineage(tx, user.id))?.creator !== serviceUserId) return;
  await call(setEmail, {
    userId: id,
    email: user.email,
    verification: { case: "isVerified", value: true },
  });
}

/** Removes a user, by RemoveUser. `require` sees the user before. */
export async function deleteUser(
  request: ScimRequest,
  id: string,
  require: (before: ScimResource) => void,
): Promise<void> {
  await request.options.calls.write(request, async (unit) => {
    require(await readUser(request, unit.tx, id));
    await unit.call(removeUser, { userId: id });
  });
}

/** Reads a user as a resource. Raises 404. */
export async function readUser(request: ScimRequest, tx: ReadTransaction, id: string): Promise<ScimResource> {
  const [found] = await readScimUsers(tx, toAsked(request), [id]);
  if (found === undefined) throw resourceNotFound(id);
  return toUserResource(found, { ...request, serviceUserId: request.caller.userId });
}

/** Says what is read of users for a request. */
export function toAsked({ organizationId, caller, hasGroups }: ScimRequest) {
  return { organizationId, serviceUserId: caller.userId, hasGroups };
}

/** Where a directory sends no address, a username that is one will do. */
function withEmail(resource: ScimResource): ScimResource {
  if (resource["emails"] !== undefined) return resource;
  const username = plainTextOf(resource["userName"]) ?? "";
  if (!username.includes("@")) throw refusal("invalidValue", "emails is required");
  return { ...resource, emails: [{ value: username }] };
}

function toProfile(resource: ScimResource) {
  const name = isMembers(resource["name"]) ? resource["name"] : {};
  const email = accountEmailOf(resource);
  if (email === undefined) throw refusal("invalidValue", "emails needs a value");
  return {
    username: plainTextOf(resource["userName"]) ?? "",
    givenName: plainTextOf(name["givenName"]) ?? "",
    familyName: plainTextOf(name["familyName"]) ?? "",
    displayName: plainTextOf(resource["displayName"]) ?? "",
    preferredLanguage: plainTextOf(resource["preferredLanguage"]) ?? "",
    email,
  };
}

interface Step {
  readonly before: ScimResource;
  readonly after: ScimResource;
}

async function changeProfile(unit: RpcUnit, id: string, { before, after }: Step): Promise<void> {
  const profile = toProfile(after);
  if (JSON.stringify(profile) === JSON.stringify(toProfile(before))) return;
  await unit.call(updateHumanUser, { userId: id, ...profile });
}

async function changeKept(
  request: ScimRequest,
  unit: RpcUnit,
  id: string,
  { before, after }: Step,
): Promise<void> {
  const former = toKept(request, before);
  const next = toKept(request, after);
  if (after["externalId"] !== before["externalId"])
    await requireFreeExternalId(request, unit, { id, resource: after });
  const changed = new Map([...next].filter(([key, value]) => former.get(key) !== value));
  if (changed.size > 0) await setKept(unit, id, changed);
  for (const key of former.keys())
    if (!next.has(key)) await unit.call(removeUserMetadata, { userId: id, key });
}

/** Lists what metadata keep of a resource, by their names. */
function toKept({ caller }: ScimRequest, resource: ScimResource): Map<string, string> {
  const kept = new Map<string, string>();
  const externalId = plainTextOf(resource["externalId"]);
  if (externalId !== undefined) kept.set(externalIdKey(caller.userId), externalId);
  for (const attribute of keptAttributes) {
    if (attribute.name === "emails" && isPlainEmail(resource["emails"])) continue;
    const text = keptTextOf(attribute, resource);
    if (text !== undefined) kept.set(attribute.key, text);
  }
  return kept;
}

/** A value of metadata has so many bytes. */
const maxKeptBytes = 10_240;

async function setKept(unit: RpcUnit, id: string, kept: ReadonlyMap<string, string>): Promise<void> {
  for (const [key, value] of kept)
    if (Buffer.byteLength(value) > maxKeptBytes)
      throw refusal("invalidValue", `${key.slice("scim.".length)} has at most ${maxKeptBytes} bytes`);
  const items = [...kept].map(([key, value]) => ({ key, value: new Uint8Array(Buffer.from(value)) }));
  await unit.call(bulkSetUserMetadata, { userId: id, items });
}

/** Each service user calls at most one user by an id. Raises uniqueness. */
async function requireFreeExternalId(
  { organizationId, caller }: ScimRequest,
  { tx }: RpcUnit,
  { id, resource }: { readonly id: string; readonly resource: ScimResource },
): Promise<void> {
  const externalId = plainTextOf(resource["externalId"]);
  if (externalId === undefined) return;
  if (externalId.length > 255) throw refusal("invalidValue", "externalId has at most 255 characters");
  const found = await findUserByExternalId(tx, { organizationId, serviceUserId: caller.userId, externalId });
  if (found !== undefined && found !== id)
    throw refusal("uniqueness", `another user has the externalId ${JSON.stringify(externalId)}`);
}

function toFirst<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): RpcCall {
  return { method, request: create(method.input, request) };
}
