import type { MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcTokenType } from "../../gen/gatehouse/v1/oidc_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { GroupService } from "../../gen/gatehouse/v1/group_service_pb.ts";
import {
  type CreateIdentityProviderRequestSchema,
  IdentityProviderService,
} from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import type { Call } from "../kernel/base/call.ts";
import type { WriteTransaction } from "../kernel/base/database.ts";
import { Problem } from "../kernel/base/problem.ts";
import { isOfMetadata } from "../identity/claim-mappings/claim-mapping.ts";
import type { KeptClaims } from "../identity/imports/claims.ts";
import type { KeptSecret } from "../identity/imports/client-secrets.ts";
import { type ImportTarget, toImportCall } from "../identity/imports/commands.ts";
import { isInOrganization, listRolesOf } from "../identity/imports/reference-repository.ts";
import { projectNotFound } from "../identity/projects/project.ts";
import { findImported, noteImported } from "../identity/imports/repository.ts";
import type { Order } from "./orders.ts";
import type {
  ApplicationRecord,
  GroupRecord,
  ProjectRecord,
  ProviderRecord,
  Remark,
  ServiceUserRecord,
} from "./records.ts";
import type { ImportReferences } from "./references.ts";
import { quote, type Report } from "./report.ts";

/** Everything but users. */
export type StructureRecord =
  | ProjectRecord
  | GroupRecord
  | ApplicationRecord
  | ProviderRecord
  | ServiceUserRecord
  | Remark;

/** What structure is added with. */
export interface StructureInput {
  readonly order: Order;
  readonly tx: WriteTransaction;
  readonly target: ImportTarget;
  readonly references: ImportReferences;
  /** What is stored of client secrets, by the client. */
  readonly secrets: ReadonlyMap<ApplicationRecord | ServiceUserRecord, Uint8Array>;
  /** Gives an application the claims that it had. */
  readonly keepClaims: (tx: WriteTransaction, kept: KeptClaims) => Promise<string | undefined>;
  /** Gives a client the secret that it had. */
  readonly keepSecret: (tx: WriteTransaction, kept: KeptSecret) => Promise<void>;
  readonly report: Report;
  /** Whether it stays; otherwise ids mean nothing. */
  readonly isApplied: boolean;
}

/** A part of the work, in a transaction of its own. */
interface Adding extends StructureInput {
  readonly call: Call;
  /** What a former run has made of the object; undefined: it is new. */
  readonly present: string | undefined;
}

type ProviderConfig = NonNullable<MessageInitShape<typeof CreateIdentityProviderRequestSchema>["config"]>;

/** What became of an object, and what it comes without. */
interface Added {
  readonly id: string;
  readonly problems: readonly string[];
  readonly notes?: readonly string[];
  /** What people need to know of it. */
  readonly text?: string;
}

/**
 * Adds everything but users, in `tx`. What cannot be added is a line of the report, and the rest goes on. Notes in `references` what users
 * may refer to.
 */
export async function addStructure(
  input: StructureInput,
  records: readonly StructureRecord[],
): Promise<void> {
  for (const record of records) {
    if (record.kind === "remark") input.report.add(record);
    else await addOne(input, record);
  }
}

async function addOne(input: StructureInput, record: Exclude<StructureRecord, Remark>): Promise<void> {
  const { tx, target, report } = input;
  const { where, kind, oldId, name } = record;
  const what = `${kind.replace("_", " ")} ${quote(name)}`;
  const found = await findImported(tx, { ...target, kind, oldIds: [oldId] });
  const present = found.get(oldId);
  if (present !== undefined && !(await isInOrganization(tx, kind, { ...target, id: present }))) {
    const text = `${what} is left out: it was imported before, and is not in the organization any more`;
    report.add({ mark: "problem", where, text });
    return;
  }
  try {
    const {
      problems,
      notes = [],
      text: more = "",
    } = await tx.nested(async (part) => {
      const adding = { ...input, tx: part, call: toImportCall(target.organizationId, part), present };
      const added = await add(adding, record);
      if (present === undefined) await noteImported(part, { ...target, kind, oldId }, added.id);
      return added;
    });
    report.add(
      present === undefined
        ? { mark: "add", where, text: `new ${what}${more}` }
        : { mark: "present", where, text: `${what} is there from an earlier import` },
      ...notes.map((text) => ({ mark: "note" as const, where, text: `${what} ${text}` })),
      ...problems.map((text) => ({ mark: "problem" as const, where, text: `${what} ${text}` })),
    );
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === "internal") throw error;
    report.add({ mark: "problem", where, text: `${what} is left out: ${error.message}` });
  }
}

function add(adding: Adding, record: Exclude<StructureRecord, Remark>): Promise<Added> {
  switch (record.kind) {
    case "project":
      return addProject(adding, record);
    case "group":
      return addGroup(adding, record);
    case "application":
      return addApplication(adding, record);
    case "identity_provider":
      return addProvider(adding, record);
    case "service_user":
      return addServiceUser(adding, record);
  }
}

/** Adds the project, unless it is there, and those of its roles that are not. */
async function addProject(
  { order, tx, call, references, present }: Adding,
  { oldId, name, roles }: ProjectRecord,
): Promise<Added> {
  const { id = "" } =
    present === undefined ? await order(call, ProjectService.method.addProject, { name }) : { id: present };
  const known = await listRolesOf(tx, id);
  const missing = roles.filter(({ key }) => !known.has(key));
  for (const { key: roleKey, displayName, group } of missing) {
    const role = { projectId: id, roleKey, displayName, group };
    await order(call, ProjectService.method.addProjectRole, role);
  }
  references.addProject({ id, oldId, name, roleKeys: new Set([...known, ...roles.map(({ key }) => key)]) });
  return { id, problems: [] };
}

/** Adds the group, unless it is there, with its place in another one and what it is given. */
async function addGroup(
  { order, tx, call, references, present }: Adding,
  { oldId, name, description, parentOldId, roles }: GroupRecord,
): Promise<Added> {
  if (present !== undefined) {
    references.addGroup({ id: present, oldId, name });
    return { id: present, problems: [] };
  }
  const { id = "" } = await order(call, GroupService.method.addGroup, { name, description });
  const groups = parentOldId === "" ? [] : [parentOldId];
  const { groupIds, grants, problems } = await references.resolve(tx, { groups, roles });
  for (const groupId of groupIds)
    await order(call, GroupService.method.addGroupMembers, { groupId, groupIds: [id] });
  for (const { projectId, roleKeys } of grants)
    await order(call, GroupService.method.addGroupGrant, {
      groupId: id,
      projectId,
      roleKeys: [...roleKeys],
    });
  references.addGroup({ id, oldId, name });
  return { id, problems };
}

async function addApplication(adding: Adding, record: ApplicationRecord): Promise<Added> {
  const { order, tx, call, references, present, secrets } = adding;
  if (present !== undefined) return { id: present, problems: [] };
  const { name, config } = record;
  const projectId = await references.projectId(tx, record.project);
  if (projectId === undefined) throw projectNotFound(record.project);
  if (config.kind === "saml") {
    const metadataXml = Buffer.from(config.metadataXml);
    const made = await order(call, ApplicationService.method.createSamlApplication, {
      projectId,
      name,
      metadataXml,
    });
    const id = made.appId ?? "";
    return { id, problems: [], notes: await keepClaimsOf(adding, record, id) };
  }
  const made = await order(call, ApplicationService.method.createOidcApplication, {
    ...config.settings,
    projectId,
    name,
  });
  const { appId: id = "", clientId = "" } = made;
  const hash = secrets.get(record);
  if (hash !== undefined) await adding.keepSecret(tx, { kind: "application", id, hash });
  const isNew = hash === undefined && made.clientSecret !== undefined && made.clientSecret !== "";
  return {
    id,
    problems: [],
    notes: [
      ...(isNew ? ["comes without its secret; generate one"] : []),
      ...(await keepClaimsOf(adding, record, id)),
    ],
    text: adding.isApplied ? `, whose client id is ${clientId} now` : ", which gets another client id",
  };
}

/** Gives the application its claims. Returns the notes for the plan. */
async function keepClaimsOf(
  { tx, keepClaims }: Adding,
  { claims = [] }: ApplicationRecord,
  id: string,
): Promise<readonly string[]> {
  if (claims.length === 0) return [];
  const author = await keepClaims(tx, { id, claims });
  const names = claims.map(({ name }) => quote(name)).join(", ");
  if (!claims.some(isOfMetadata)) return [`is told the claims ${names}`];
  return author === undefined
    ? [`is told the claims ${names}, but those of metadata only once somebody who may read these sets them`]
    : [`is told the claims ${names}; for those of metadata the user ${author} answers`];
}

async function addProvider(
  { order, call, references, present }: Adding,
  { oldId, name, isAutoRegistered, config }: ProviderRecord,
): Promise<Added> {
  let id = present;
  if (id === undefined) {
    const made = await order(call, IdentityProviderService.method.createIdentityProvider, {
      name,
      autoRegister: isAutoRegistered,
      config: toProviderConfig(config),
    });
    id = made.idpId ?? "";
  }
  references.addProvider({ id, oldId, name });
  return { id, problems: [] };
}

function toProviderConfig(config: ProviderRecord["config"]): ProviderConfig {
  switch (config.kind) {
    case "oidc": {
      const { kind, clientSecret, scopes, ...value } = config;
      return { case: kind, value: { ...value, clientSecret: clientSecret.reveal(), scopes: [...scopes] } };
    }
    case "saml": {
      const { kind, trustsMail: trustMail, ...value } = config;
      return { case: kind, value: { ...value, trustMail } };
    }
    case "ldap": {
      const { kind, servers, bindPassword, loginAttribute, trustsMail: trustMail, ...value } = config;
      const password = bindPassword === undefined ? {} : { bindPassword: bindPassword.reveal() };
      const lists = { servers: [...servers], loginAttributes: [loginAttribute] };
      return { case: kind, value: { ...value, ...password, ...lists, trustMail } };
    }
  }
}

/** Adds the service user with its secret, its groups and its roles, unless it is there. */
async function addServiceUser(adding: Adding, record: ServiceUserRecord): Promise<Added> {
  const { order, tx, call, references, present, secrets } = adding;
  if (present !== undefined) return { id: present, problems: [] };
  const { name, username, description } = record;
  const { userId: id = "" } = await order(call, UserService.method.addServiceUser, {
    username,
    name,
    description,
    // As those of the other system are.
    accessTokenType: OidcTokenType.JWT,
  });
  const { groupIds, grants, problems } = await references.resolve(tx, record);
  for (const groupId of groupIds)
    await order(call, GroupService.method.addGroupMembers, { groupId, userIds: [id] });
  for (const { projectId, roleKeys } of grants)
    await order(call, UserGrantService.method.addUserGrant, {
      userId: id,
      projectId,
      roleKeys: [...roleKeys],
    });
  const hash = secrets.get(record);
  if (hash !== undefined) await adding.keepSecret(tx, { kind: "service_user", id, hash });
  return {
    id,
    problems,
    notes: hash === undefined ? ["comes without a secret; generate one, or add its key"] : [],
    text: adding.isApplied ? `, whose client id is ${id} now` : ", which gets another client id",
  };
}
