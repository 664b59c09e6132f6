import type { JsonObject } from "@bufbuild/protobuf";
import type { ApiCall } from "./json-api.ts";

/** Lists the calls that show what the scenario has made. Objects that a release cannot make are left out. */
export function readsOf(
  made: Readonly<
    Record<
      | "acme"
      | "ada"
      | "grace"
      | "robot"
      | "secondRobot"
      | "machine"
      | "projectId"
      | "projectGrantId"
      | "userGrantId",
      string | undefined
    >
  > &
    Readonly<Record<"idpIds" | "appIds", readonly (string | undefined)[]>>,
): readonly ApiCall[] {
  const { projectId, ada: userId } = made;
  const calls: readonly (readonly [rpc: string, request: Record<string, unknown>])[] = [
    ["OrganizationService/GetOrganization", { id: made.acme }],
    ["OrganizationService/ListOrganizations", {}],
    ...[made.ada, made.grace, made.robot, made.secondRobot].map(
      (id) => ["UserService/GetUser", { userId: id }] as const,
    ),
    ["UserService/ListUsers", {}],
    ["UserService/ListSecondFactors", { userId }],
    ["UserService/ListPersonalAccessTokens", { userId }],
    ["UserService/ListPersonalAccessTokens", { userId: made.robot }],
    ["MembershipService/ListMemberships", {}],
    ...made.idpIds.map((idpId) => ["IdentityProviderService/GetIdentityProvider", { idpId }] as const),
    ["IdentityProviderService/ListIdentityProviders", {}],
    ["ProjectService/GetProject", { id: projectId }],
    ["ProjectService/ListProjects", {}],
    ["ProjectService/ListProjectRoles", { projectId }],
    ["ProjectService/GetProjectGrant", { projectId, grantId: made.projectGrantId }],
    ["ProjectService/ListProjectGrants", { projectId }],
    ["UserGrantService/GetUserGrant", { userId, grantId: made.userGrantId }],
    ["UserGrantService/ListUserGrants", {}],
    ["UserGrantService/ListEffectiveRoles", { userId }],
    ...made.appIds.map((appId) => ["ApplicationService/GetApplication", { projectId, appId }] as const),
    ["ApplicationService/ListApplications", { projectId }],
    ["UserService/GetUser", { userId: made.machine }],
    ["UserService/ListServiceUserKeys", { userId: made.machine }],
    ["SigningKeyService/ListSigningKeys", {}],
  ];
  return calls.flatMap(([rpc, request]) =>
    Object.values(request).includes(undefined) || made.acme === undefined
      ? []
      : [{ rpc, request: request as JsonObject, organizationId: made.acme }],
  );
}
