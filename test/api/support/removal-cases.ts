import type { DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { TargetService } from "../../../gen/gatehouse/v1/target_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { RemovalWorld } from "./removal-world.ts";

/** A removal in a world. */
export interface RemovalCase {
  readonly method: DescMethodUnary;
  /** Absent: that of the method. */
  readonly name?: string;
  readonly request: (world: RemovalWorld) => object;
  /** The types of the objects that are removed themselves, as far as they can be listed. */
  readonly own: readonly string[];
  /** The types of what goes along. */
  readonly types: readonly string[];
}

function removal<M extends DescMethodUnary>(
  method: M,
  request: (world: RemovalWorld) => MessageInitShape<M["input"]>,
  of: Pick<RemovalCase, "own"> & Partial<RemovalCase>,
): RemovalCase {
  return { types: [], ...of, method, request };
}

/** Nothing goes along with any of them. They can be made one after the other in one world. */
export const leafRemovals: readonly RemovalCase[] = [
  removal(
    TargetService.method.removeTargetSecret,
    ({ target: targetId, targetSecret: secretId }) => ({ targetId, secretId }),
    { own: [] },
  ),
  removal(
    HookService.method.removeHookSecret,
    ({ hook: hookId, hookSecret: secretId }) => ({ hookId, secretId }),
    { own: [] },
  ),
  removal(HookService.method.removeHook, ({ hook: hookId }) => ({ hookId }), { own: ["hook"] }),
  removal(TargetService.method.removeTarget, ({ target: targetId }) => ({ targetId }), { own: ["target"] }),
  removal(MetadataService.method.removeUserMetadata, ({ person: userId }) => ({ userId, key: "kept" }), {
    own: [],
  }),
  removal(MetadataService.method.removeOrganizationMetadata, ({ home: id }) => ({ id, key: "kept" }), {
    own: [],
  }),
  removal(
    MetadataService.method.removeProjectMetadata,
    ({ project: projectId }) => ({ projectId, key: "kept" }),
    { own: [] },
  ),
  removal(
    MetadataService.method.removeApplicationMetadata,
    ({ project: projectId, oidcApp: appId }) => ({ projectId, appId, key: "kept" }),
    { own: [] },
  ),
  removal(MetadataService.method.removeGroupMetadata, ({ group: groupId }) => ({ groupId, key: "kept" }), {
    own: [],
  }),
  removal(LabelPolicyService.method.resetLabelPolicy, () => ({}), { own: ["label_policy"] }),
  removal(UserService.method.removePhone, ({ person: userId }) => ({ userId }), { own: [] }),
  removal(UserService.method.removeU2f, ({ person: userId, u2f: u2fId }) => ({ userId, u2fId }), {
    own: ["user.u2f"],
  }),
  removal(UserService.method.removeTotp, ({ person: userId }) => ({ userId }), { own: ["user.totp"] }),
  removal(
    UserService.method.removeCodeFactor,
    ({ person: userId, codeFactor: codeFactorId }) => ({ userId, codeFactorId }),
    { own: ["user.code_factor"] },
  ),
  removal(UserService.method.removeRecoveryCodes, ({ person: userId }) => ({ userId }), { own: [] }),
  removal(UserService.method.removeServiceUserKey, ({ robot: userId, key: keyId }) => ({ userId, keyId }), {
    own: ["user.key"],
  }),
  removal(UserService.method.removeServiceUserSecret, ({ robot: userId }) => ({ userId }), {
    own: [],
  }),
  removal(
    UserService.method.removeRefreshToken,
    ({ person: userId, refreshToken: tokenId }) => ({ userId, tokenId }),
    { own: ["authorization"] },
  ),
  removal(MembershipService.method.removeMembership, ({ membership: membershipId }) => ({ membershipId }), {
    own: ["membership"],
  }),
  removal(
    GroupService.method.removeGroupGrant,
    ({ group: groupId, groupGrant: grantId }) => ({ groupId, grantId }),
    { own: ["group_grant"] },
  ),
  removal(
    GroupService.method.removeGroupMembers,
    ({ group: groupId, person }) => ({ groupId, userIds: [person] }),
    { own: ["group.member"] },
  ),
  removal(
    UserGrantService.method.removeUserGrant,
    ({ person: userId, userGrant: grantId }) => ({ userId, grantId }),
    { own: ["user_grant"] },
  ),
  removal(
    UserGrantService.method.bulkRemoveUserGrants,
    ({ otherUserGrants: grantIds }) => ({ grantIds: [...grantIds] }),
    { own: ["user_grant", "user_grant"] },
  ),
  removal(
    ProjectService.method.removeProjectRole,
    ({ project: projectId }) => ({ projectId, roleKey: "reader" }),
    { own: ["project.role"] },
  ),
  removal(
    ApplicationService.method.removeApplicationKey,
    ({ project: projectId, oidcApp: appId, applicationKey: keyId }) => ({ projectId, appId, keyId }),
    { own: ["application.key"] },
  ),
  removal(LoginPolicyService.method.removeIdpFromLoginPolicy, ({ idp: idpId }) => ({ idpId }), {
    own: ["login_policy.idp"],
  }),
  removal(CustomTextService.method.resetCustomTexts, () => ({ language: "de" }), { own: ["custom_texts"] }),
];

/** The name of the case that removes the other organization. */
export const ofPartner = "RemoveOrganization of the partner";

/** Something goes along with each of them. */
export const rootRemovals: readonly RemovalCase[] = [
  removal(OrganizationService.method.removeOrganization, ({ home: id }) => ({ id }), {
    own: ["organization"],
    types: [
      "application",
      "application.key",
      "authorization",
      "custom_texts",
      "group",
      "group.member",
      "group_grant",
      "hook",
      "identity_provider",
      "label_policy",
      "login_policy",
      "login_policy.idp",
      "membership",
      "project",
      "project.role",
      "project_grant",
      "session",
      "target",
      "user",
      "user.code_factor",
      "user.idp_link",
      "user.key",
      "user.passkey",
      "user.token",
      "user.totp",
      "user.u2f",
      "user_grant",
    ],
  }),
  removal(OrganizationService.method.removeOrganization, ({ partner: id }) => ({ id }), {
    name: ofPartner,
    own: ["organization"],
    types: [
      "application",
      "application.key",
      "authorization",
      "group",
      "group.member",
      "group_grant",
      "membership",
      "project",
      "project.role",
      "project_grant",
      "session",
      "user",
      "user_grant",
    ],
  }),
  removal(ProjectService.method.removeProject, ({ project: id }) => ({ id }), {
    own: ["project"],
    types: [
      "application",
      "application.key",
      "authorization",
      "group_grant",
      "membership",
      "project.role",
      "project_grant",
      "user_grant",
    ],
  }),
  removal(
    ProjectService.method.removeProjectGrant,
    ({ project: projectId, projectGrant: grantId }) => ({ projectId, grantId }),
    { own: ["project_grant"], types: ["group_grant", "membership", "user_grant"] },
  ),
  removal(
    ApplicationService.method.removeApplication,
    ({ project: projectId, oidcApp: appId }) => ({ projectId, appId }),
    { own: ["application"], types: ["application.key", "authorization"] },
  ),
  removal(UserService.method.removeUser, ({ person: userId }) => ({ userId }), {
    name: "RemoveUser of a human user",
    own: ["user"],
    types: [
      "authorization",
      "group.member",
      "membership",
      "session",
      "user.code_factor",
      "user.idp_link",
      "user.passkey",
      "user.token",
      "user.totp",
      "user.u2f",
      "user_grant",
    ],
  }),
  removal(UserService.method.removeUser, ({ robot: userId }) => ({ userId }), {
    name: "RemoveUser of a service user",
    own: ["user"],
    types: ["membership", "user.key", "user.token"],
  }),
  removal(GroupService.method.removeGroup, ({ group: id }) => ({ id }), {
    own: ["group"],
    types: ["group.member", "group_grant", "membership"],
  }),
  removal(UserService.method.removePassword, ({ person: userId }) => ({ userId }), {
    own: [],
    types: ["authorization"],
  }),
  removal(
    UserService.method.removePasskey,
    ({ person: userId, passkey: passkeyId }) => ({ userId, passkeyId }),
    { own: ["user.passkey"], types: ["authorization"] },
  ),
  removal(
    UserService.method.removePersonalAccessToken,
    ({ person: userId, token: tokenId }) => ({ userId, tokenId }),
    { own: ["user.token"], types: ["user.token"] },
  ),
  removal(
    UserService.method.removePersonalAccessToken,
    ({ robot: userId, robotToken: tokenId }) => ({ userId, tokenId }),
    {
      name: "RemovePersonalAccessToken of a service user",
      own: ["user.token"],
      types: ["user.key", "user.token"],
    },
  ),
  removal(
    UserService.method.removeIdpLink,
    ({ person: userId, idp: idpId, externalUserId }) => ({ userId, idpId, externalUserId }),
    { own: ["user.idp_link"], types: ["authorization"] },
  ),
  removal(IdentityProviderService.method.removeIdentityProvider, ({ idp: idpId }) => ({ idpId }), {
    own: ["identity_provider"],
    types: ["authorization", "login_policy.idp", "user.idp_link"],
  }),
  removal(LoginPolicyService.method.resetLoginPolicy, () => ({}), {
    own: ["login_policy"],
    types: ["login_policy.idp"],
  }),
];
