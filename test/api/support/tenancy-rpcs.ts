import { type DescField, type DescMethodUnary } from "@bufbuild/protobuf";
import { type AccessRule, OrganizationSource } from "../../../gen/gatehouse/v1/access_pb.ts";
import { listMethods, ruleOf } from "../../support/methods.ts";
import type { ScopeFacts } from "./tenancy-roles.ts";

/** What a request names, in the words of google.rpc.ResourceInfo. */
export type ObjectKind =
  | "organization"
  | "project"
  | "role"
  | "project_grant"
  | "application"
  | "user"
  | "second_factor"
  | "passkey"
  | "personal_access_token"
  | "key"
  | "session"
  | "refresh_token"
  | "identity_provider"
  | "idp_link"
  | "login_policy_idp"
  | "user_grant"
  | "group"
  | "group_grant"
  | "membership"
  | "target"
  | "target_secret"
  | "hook"
  | "hook_secret";

export type ScopeKind = ScopeFacts["kind"];

/** An rpc of the matrix; those about memberships stand there once for each kind of scope. */
export interface MatrixRpc {
  readonly name: string;
  readonly method: DescMethodUnary;
  readonly rule: AccessRule;
  /** Of the membership. */
  readonly scope: ScopeKind | undefined;
  /** What the request names, from the outside in: at most an object, a part of it, and what goes with the part. */
  readonly path: readonly ObjectKind[];
}

/** Returns every unary rpc that there is, from the descriptors. */
export async function listMatrixRpcs(): Promise<readonly MatrixRpc[]> {
  return (await listMethods()).flatMap((method) => {
    const rule = ruleOf(method);
    if (rule === undefined) throw new Error(`${method.name} has no access rule`);
    const isByScope =
      rule.organization === OrganizationSource.SCOPE || rule.organization === OrganizationSource.MEMBERSHIP;
    const scopes: readonly (ScopeKind | undefined)[] = isByScope
      ? ["instance", "organization", "project", "project_grant"]
      : [undefined];
    return scopes.map((scope) => ({
      name: scope === undefined ? method.name : `${method.name} on ${scope}`,
      method,
      rule,
      scope,
      path: method.input.fields.flatMap((field) => objectOf(method, field) ?? []),
    }));
  });
}

/** Says whether the rpc is about a service user. */
export function isOfServiceUser({ method: { name } }: MatrixRpc): boolean {
  return name.includes("ServiceUser") && name !== "AddServiceUser";
}

/** Says what kind of application the rpc is about; SAML applications stand for all kinds. */
export function applicationKindOf({
  method: { name },
}: MatrixRpc): "application" | "oidc_application" | "api_application" {
  if (name === "UpdateApiConfig") return "api_application";
  return /OidcConfig|ClientSecret|ApplicationKey/.test(name) ? "oidc_application" : "application";
}

/** Says whether the rpc takes its organization from `x-service-orgid`. */
export function readsHeader({ rule }: MatrixRpc): boolean {
  return (
    rule.organization === OrganizationSource.HEADER || rule.organization === OrganizationSource.HEADER_OR_HELD
  );
}

/** Says whether the rpc can change something. */
export function isWriting({ rule }: MatrixRpc): boolean {
  return rule.permission !== "" && !rule.permission.endsWith(".read");
}

/** Says whether the field narrows a list: one that names nothing makes the list empty. */
export function isFilter(method: DescMethodUnary, { number }: DescField): boolean {
  return method.name.startsWith("List") && number >= 10 && number < 20;
}

const byField: Readonly<Record<string, ObjectKind | undefined>> = {
  "AccessService.user_id": "user",
  "OrganizationService.id": "organization",
  "ProjectService.id": "project",
  "ProjectService.project_id": "project",
  "ProjectService.role_key": "role",
  "ProjectService.grant_id": "project_grant",
  "ProjectService.granted_organization_id": undefined, // may be any
  "ApplicationService.project_id": "project",
  "ApplicationService.app_id": "application",
  "ApplicationService.key_id": "key",
  "IdentityProviderService.idp_id": "identity_provider",
  "IdentityProviderService.client_id": undefined, // belongs to somebody else's service
  "UserService.user_id": "user",
  "UserService.u2f_id": "second_factor",
  "UserService.code_factor_id": "second_factor",
  "UserService.passkey_id": "passkey",
  "UserService.token_id": "personal_access_token",
  "UserService.key_id": "key",
  "UserGrantService.user_id": "user",
  "UserGrantService.project_id": "project",
  "UserGrantService.project_grant_id": undefined, // goes with the project
  "UserGrantService.grant_id": "user_grant",
  "UserGrantService.grant_ids": "user_grant",
  "GroupService.id": "group",
  "GroupService.group_id": "group",
  "GroupService.user_ids": undefined, // found after the group
  "GroupService.group_ids": undefined,
  "GroupService.project_id": "project",
  "GroupService.project_grant_id": undefined, // goes with the project
  "GroupService.grant_id": "group_grant",
  "GroupService.external_id": undefined, // of another system
  "GroupService.source_idp_id": undefined,
  "GroupService.source_user_id": undefined,
  "GroupService.source_hook_id": undefined,
  "MetadataService.id": "organization",
  "MetadataService.user_id": "user",
  "MetadataService.project_id": "project",
  "MetadataService.app_id": "application",
  "MetadataService.group_id": "group",
  "ClaimMappingService.id": "organization",
  "ClaimMappingService.project_id": "project",
  "ClaimMappingService.app_id": "application",
  "ClaimMappingService.user_id": undefined, // whose claims are shown, found after the application
  "MembershipService.group_id": undefined, // as user_id
  "MembershipService.membership_id": "membership",
  "MembershipService.user_id": undefined, // who gets it, found after the scope
  "MembershipService.organization_id": undefined, // the scope
  "MembershipService.project_id": undefined,
  "MembershipService.project_grant_id": undefined,
  "HookService.hook_id": "hook",
  "HookService.secret_id": "hook_secret",
  "HookService.project_id": "project",
  "HookService.app_id": "application",
  "TargetService.target_id": "target",
  "TargetService.secret_id": "target_secret",
  "SessionService.session_id": "session",
  "SessionService.user_id": "user",
  "SessionService.except_session_id": undefined, // any text: one that is no session of the user spares none
  "AddHumanUser.imported_id": undefined, // of another system
  "AddIdpLink.idp_id": undefined, // goes with the user's organization
  "AddIdpLink.external_user_id": undefined, // a new one
  "RemoveIdpLink.idp_id": undefined, // goes with the identity
  "RemoveIdpLink.external_user_id": "idp_link",
  "AddIdpToLoginPolicy.idp_id": "identity_provider",
  "RemoveIdpFromLoginPolicy.idp_id": "login_policy_idp",
  "RemoveRefreshToken.token_id": "refresh_token",
  "AddProjectRole.role_key": undefined, // a new one
};

function objectOf(method: DescMethodUnary, field: DescField): ObjectKind | undefined {
  if (isFilter(method, field)) return undefined;
  const names = [`${method.name}.${field.name}`, `${method.parent.name}.${field.name}`];
  const known = names.find((name) => Object.hasOwn(byField, name));
  if (known !== undefined) return byField[known];
  if (/^id$|_ids?$/.test(field.name))
    throw new Error(`write down what ${field.name} of ${method.input.typeName} names`);
  return undefined;
}
