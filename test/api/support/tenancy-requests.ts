import {
  type DescField,
  type DescMethodUnary,
  getOption,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import {
  jwtConfig,
  nextPhone,
  passwordHashSample,
  publicKeySample,
  samlMetadata,
  uniqueName,
} from "../../support/world.ts";
import type { Cell } from "./tenancy-expectation.ts";
import type { OrganizationName } from "./tenancy-roles.ts";
import {
  applicationKindOf,
  isFilter,
  isOfServiceUser,
  type MatrixRpc,
  type ObjectKind,
} from "./tenancy-rpcs.ts";
import { type Objects, roleOn, type TenancyWorld } from "./tenancy-world.ts";

/** The objects that one request names, and what else it must hold. */
export interface Target {
  readonly parent: Objects;
  readonly leaf: Objects;
  /** Whether the project is one that the acting organization was granted by way of a project grant. */
  readonly isByGrant: boolean;
  /** Fields that replace the samples. */
  readonly fields?: JsonObject;
}

/** Returns what the request of a cell names. */
export function targetOf({ objects }: TenancyWorld, { parent, leaf }: Cell): Target {
  return {
    parent: objects[parent],
    leaf: objects[leaf],
    isByGrant: leaf === "granted" && parent !== "granted",
  };
}

/** Returns the ids that the request of the rpc names, in the order of the path. */
export function idsNamed(rpc: MatrixRpc, target: Target): readonly string[] {
  const ids = rpc.path.map((kind, index) => {
    const isInner = index > 0 || rpc.path.length === 1;
    return idIn(rpc, kind, isInner ? target.leaf : target.parent);
  });
  if (rpc.scope === undefined || rpc.path.length > 0) return ids;
  return rpc.scope === "instance" ? [] : [target.leaf[rpc.scope]];
}

function idIn(rpc: MatrixRpc, kind: ObjectKind, objects: Objects): string {
  if (kind === "membership") return objects[`${rpc.scope ?? "organization"}_membership`];
  if (kind === "user" && rpc.path.includes("user_grant")) return objects.grant_user;
  if (kind === "group" && rpc.path.includes("group_grant")) return objects.grant_group;
  if (kind === "user" && isOfServiceUser(rpc)) return objects.service_user;
  if (kind === "key" && rpc.path.includes("application")) return objects.application_key;
  if (kind === "application") return objects[applicationKindOf(rpc)];
  return objects[kind];
}

/** Returns the header that selects the organization of the cell; none when it is not named. */
export function headersOf(
  { organizations }: TenancyWorld,
  organization: OrganizationName | undefined,
): Readonly<Record<string, string>> {
  return organization === undefined ? {} : { "x-service-orgid": organizations[organization] };
}

/**
 * Returns a request that the field rules accept. Throws for a field that it does not know: a new rpc must be understood
 * before it can be in the matrix.
 */
export function requestOf(rpc: MatrixRpc, target: Target): JsonObject {
  const { method } = rpc;
  const samples = { ...samplesOf(method), ...namesOf(rpc, target), ...target.fields };
  const request: JsonObject = {};
  for (const field of method.input.fields) {
    if (isFilter(method, field)) continue;
    const value = Object.hasOwn(target.fields ?? {}, field.name) ? target.fields?.[field.name] : undefined;
    const sample = value ?? samples[field.name];
    if (sample === undefined && !Object.hasOwn(samples, field.name) && !mayBeAbsent(field))
      throw new Error(`write a sample for the field ${field.name} of ${method.input.typeName}`);
    if (sample !== undefined) request[field.jsonName] = sample;
  }
  return request;
}

type Samples = Readonly<Record<string, JsonValue | undefined>>;

/** The fields that name objects; undefined where the request names none of that kind. */
function namesOf(rpc: MatrixRpc, { parent, leaf, isByGrant }: Target): Samples {
  const { method, scope } = rpc;
  const service = method.parent.name;
  const isOn = (kind: typeof scope, id: string) => (scope === kind ? id : undefined);
  return {
    id: idNamed(service, parent),
    group_id: rpc.path.includes("group_grant") ? parent.grant_group : groupIn(rpc, parent),
    user_ids: [parent.user],
    group_ids: undefined,
    source_idp_id: undefined,
    source_user_id: undefined,
    source_hook_id: undefined,
    user_id: userIn(rpc, parent),
    project_id: scope === undefined ? projectIn(rpc, { parent, leaf }) : isOn("project", leaf.project),
    project_grant_id:
      scope === undefined
        ? isByGrant
          ? leaf.project_grant
          : undefined
        : isOn("project_grant", leaf.project_grant),
    organization_id: isOn("organization", leaf.organization),
    shared: [{ key: uniqueName("size").replaceAll(" ", "-"), sharedWith: [parent.organization] }],
    permission: { permission: "user.read", organizationId: parent.organization },
    instance: scope === "instance" ? true : undefined,
    membership_id: leaf[`${scope ?? "organization"}_membership`],
    granted_organization_id: parent.organization,
    u2f_id: leaf.second_factor,
    code_factor_id: leaf.second_factor,
    passkey_id: leaf.passkey,
    token_id: method.name === "RemoveRefreshToken" ? leaf.refresh_token : leaf.personal_access_token,
    session_id: leaf.session,
    except_session_id: undefined,
    key_id: service === "ApplicationService" ? leaf.application_key : leaf.key,
    target_id: parent.target,
    hook_id: parent.hook,
    secret_id: service === "HookService" ? leaf.hook_secret : leaf.target_secret,
    idp_id: leaf.identity_provider,
    external_user_id: method.name === "AddIdpLink" ? uniqueName("subject") : leaf.idp_link,
    grant_id: grantIn(service, leaf),
    grant_ids: [leaf.user_grant],
    app_id: leaf[applicationKindOf(rpc)],
    role_key: rpc.path.includes("role") ? leaf.role : uniqueName("role").replaceAll(" ", "-"),
    role_keys: [leaf.role],
    roles: scope === undefined ? [{ role_key: uniqueName("role").replaceAll(" ", "-") }] : [roleOn[scope]],
  };
}

function idNamed(service: string, parent: Objects): string {
  if (service === "GroupService") return parent.group;
  return /^(?:Organization|Metadata|ClaimMapping)Service$/.test(service)
    ? parent.organization
    : parent.project;
}

/** Memberships of the matrix are of users. */
function groupIn({ scope }: MatrixRpc, parent: Objects): string | undefined {
  return scope === undefined ? parent.group : undefined;
}

function grantIn(service: string, leaf: Objects): string {
  if (service === "GroupService") return leaf.group_grant;
  return service === "ProjectService" ? leaf.project_grant : leaf.user_grant;
}

function userIn(rpc: MatrixRpc, parent: Objects): string {
  const { path, scope } = rpc;
  if (isOfServiceUser(rpc)) return parent.service_user;
  if (path.includes("user_grant")) return parent.grant_user;
  return scope === "project_grant" ? parent.grantee : parent.user;
}

function projectIn({ path }: MatrixRpc, target: Pick<Target, "parent" | "leaf">): string {
  return path[0] === "user" || path[0] === "group" ? target.leaf.project : target.parent.project;
}

/** The calls that answer with a code. */
const codeMakers = new Set([
  "SetPhone",
  "ResendPhoneCode",
  "SetEmail",
  "ResendEmailCode",
  "RequestPasswordReset",
]);

/** Values for the fields that name nothing. */
function samplesOf(method: DescMethodUnary): Samples {
  const isSetPassword = method.name === "SetPassword"; // others than the user send no proof
  const isHuman = method.name === "AddHumanUser";
  return {
    name: uniqueName("Name"),
    description: undefined,
    external_id: "x-1",
    username: uniqueName("username"),
    search: "ada",
    given_name: "Ada",
    family_name: "Lovelace",
    email: "ada@example.com",
    phone: isHuman ? undefined : nextPhone(),
    return_code: codeMakers.has(method.name) ? {} : undefined,
    verification_code: isSetPassword ? undefined : "00000000",
    password: isHuman ? undefined : "correct horse battery", // which an item of a batch has not
    current_password: undefined,
    encoded_hash: passwordHashSample,
    password_hash: undefined,
    imported_id: undefined,
    token_name: "Key",
    passkey_name: "Phone",
    code: "000000",
    public_key: Buffer.from(publicKeySample).toString("base64"),
    type: /^Add(?:ServiceUser|Application)Key$/.test(method.name) ? "KEY_TYPE_JSON" : undefined,
    redirect_uris: ["https://app.example.com/cb"],
    public_key_credential: { id: "x".repeat(60), type: "public-key" },
    metadata_xml: metadataSample(),
    allow_password: true,
    kind:
      method.parent.name === "HookService" ? "HOOK_KIND_AFTER_EXTERNAL_LOGIN" : "LABEL_IMAGE_KIND_LOGO_LIGHT",
    language: "de",
    client_id: "client",
    client_secret: "secret",
    issuer: jwtConfig.issuer,
    jwt_endpoint: jwtConfig.jwtEndpoint,
    keys_endpoint: jwtConfig.keysEndpoint,
    header_name: jwtConfig.headerName,
    url: "https://hooks.example.com/events",
    metadata_keys: ["department"],
    event_types: ["signing_key.removed"], // no organization has such an event
    signing_secret: undefined,
    from_sequence: "9007199254740991",
    jwt: { ...jwtConfig },
    key: "shoe-size",
    value: metadataValue(),
    mappings: [
      {
        name: "env",
        source: "CLAIM_SOURCE_CONSTANT",
        constant: uniqueName("env"),
        targets: ["CLAIM_TARGET_ID_TOKEN"],
      },
    ],
    items: method.name.endsWith("Metadata")
      ? [{ key: "shoe-size", value: metadataValue() }]
      : [{ addOrganization: { name: uniqueName("Organization") } }],
  };
}

function metadataValue(): string {
  return Buffer.from(uniqueName("Value")).toString("base64");
}

function metadataSample(): string {
  const entityId = `https://sp.example.com/${encodeURIComponent(uniqueName("e"))}`;
  return Buffer.from(samlMetadata(entityId)).toString("base64");
}

/** Says whether a request is legal without the field. A field that names objects is not left out before it is known. */
function mayBeAbsent(field: DescField): boolean {
  const { required, type } = getOption(field, fieldRules);
  const isNeeded = required || (type.case === "string" && type.value.minLen > 0n);
  return !isNeeded && !/(^|_)(ids?|keys?)$/.test(field.name);
}
