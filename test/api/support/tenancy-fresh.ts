import type { JsonObject } from "@bufbuild/protobuf";
import { KeyType } from "../../../gen/gatehouse/v1/key_pb.ts";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import {
  type CreationOptions,
  registerInSoftware,
  passkeyFlags,
} from "../../support/software-authenticator.ts";
import { addCodeFactorOf } from "../../support/code-factor.ts";
import { beginTotp, generateRecoveryCodes, registerTotp } from "../../support/totp.ts";
import {
  createCaller,
  createHumanUser,
  createServiceUser,
  idOf,
  nextPhone,
  publicKeySample,
  uniqueName,
} from "../../support/world.ts";
import {
  type Asked,
  type Fresh,
  type Prepare,
  withLabelImage,
  withExternalClients,
  withLabels,
  withMetadata,
  withTexts,
} from "./tenancy-looks.ts";
import { createGroup } from "./tenancy-groups.ts";
import { createLink, createProvider } from "./tenancy-providers.ts";
import type { MatrixRpc } from "./tenancy-rpcs.ts";
import { ofTargets } from "./tenancy-targets.ts";
import {
  addMember,
  createApplication,
  createClients,
  createLogin,
  createProject,
  type MembershipScope,
  type Objects,
  roleOn,
  type TenancyWorld,
} from "./tenancy-world.ts";

/** Returns the fields of a new object where the call would use up the one that others need; none for other calls. */
export async function prepareFresh(asked: Asked): Promise<Fresh> {
  const prepare = preparations[asked.rpc.method.name];
  return prepare === undefined ? { fields: {} } : await prepare(asked);
}

const onUser: Prepare = async (asked) => ({ fields: { user_id: await freshUser(asked) } });

/** An address gets three invitations in a day. */
const withOwnAddress: Prepare = async (asked) => {
  const userId = await freshUser(asked);
  const email = `user-${userId}@example.com`;
  await asked.world.service.call(UserService.method.setEmail, {
    userId,
    email,
    verification: { case: "isVerified", value: true },
  });
  return { fields: { user_id: userId } };
};

const onServiceUser: Prepare = async ({ world, target }) => {
  const { id: userId } = await createServiceUser(world.service, target.parent.organization);
  await world.service.call(UserService.method.generateServiceUserSecret, { userId });
  const key = { userId, type: KeyType.JSON, publicKey: publicKeySample };
  const added = await world.service.call(UserService.method.addServiceUserKey, key);
  return { fields: { user_id: userId, key_id: idOf(added, "keyId") } };
};

const onOrganization: Prepare = async ({ world, caller }) => {
  const { service } = world;
  const id = await addOrganization(world);
  if (caller.held?.scope.kind !== "organization") return { fields: { id } };
  // Their role is about the organization that goes, so it goes with a user like them.
  return { fields: { id }, token: (await createServiceUser(service, id, caller.held.role)).token };
};

const withFactor: Prepare = async (asked) => {
  const userId = await freshUser(asked);
  const begun = await asked.world.service.call(UserService.method.registerU2f, { userId });
  const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  return {
    fields: {
      user_id: userId,
      u2f_id: idOf(begun, "u2fId"),
      public_key_credential: registerInSoftware(options) as unknown as JsonObject,
    },
  };
};

const withTotp: Prepare = async (asked) => {
  const { service } = asked.world;
  const userId = await freshUser(asked);
  const { code } = await beginTotp(service, userId);
  return { fields: { user_id: userId, code: code(service.clock.nowMs()) } };
};

const withCodeFactor: Prepare = async (asked) => {
  const { service } = asked.world;
  const userId = await freshUser(asked);
  return { fields: { user_id: userId, code_factor_id: await addCodeFactorOf(service, userId) } };
};

const withApp: Prepare = async (asked) => {
  const userId = await freshUser(asked);
  await registerTotp(asked.world.service, userId);
  return { fields: { user_id: userId } };
};

const withRecoveryCodes: Prepare = async (asked) => {
  const userId = await freshUser(asked);
  await registerTotp(asked.world.service, userId);
  await generateRecoveryCodes(asked.world.service, userId);
  return { fields: { user_id: userId } };
};

const withPasskey: Prepare = async (asked) => {
  const userId = await freshUser(asked);
  const begun = await asked.world.service.call(UserService.method.registerPasskey, { userId });
  const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  const credential = registerInSoftware(options, { flags: passkeyFlags });
  return {
    fields: {
      user_id: userId,
      passkey_id: idOf(begun, "passkeyId"),
      public_key_credential: credential as unknown as JsonObject,
    },
  };
};

const withUserGrant: Prepare = async ({ world, target, giver }) => {
  const userId = await createHumanUser(world.service, giver);
  const { leaf } = target;
  const isOwner = giver === leaf.organization;
  const added = await createCaller(world.service, giver)(UserGrantService.method.addUserGrant, {
    userId,
    projectId: leaf.project,
    projectGrantId: isOwner ? "" : leaf.project_grant,
    roleKeys: [leaf.role],
  });
  const grantId = idOf(added, "userGrantId");
  return { fields: { user_id: userId, grant_id: grantId, grant_ids: [grantId] } };
};

const onGroup: Prepare = async ({ world, target: { parent } }) => {
  const id = await createGroup(world.service, parent.organization);
  return { fields: { id } };
};

const withGroupGrant: Prepare = async ({ world: { service }, target: { leaf }, giver }) => {
  const groupId = await createGroup(service, giver);
  const added = await createCaller(service, giver)(GroupService.method.addGroupGrant, {
    groupId,
    projectId: leaf.project,
    projectGrantId: giver === leaf.organization ? "" : leaf.project_grant,
  });
  return { fields: { group_id: groupId, grant_id: idOf(added, "groupGrantId") } };
};

const withMembership: Prepare = async (asked) => {
  const { world, rpc, target } = asked;
  const scope = scopeOf(rpc, target.leaf);
  const userId = await freshMember(asked);
  const role = roleOn[rpc.scope ?? "organization"];
  return { fields: { membership_id: await addMember(world.service, { userId, scope, role }) } };
};

const withClients: Prepare = async ({ world, target: { leaf } }) => {
  const made = await createClients(world.service, leaf.organization, leaf.project);
  return { fields: { app_id: made.oidc_application, key_id: made.application_key } };
};

const withLogin: Prepare = async ({ world, target: { parent } }) => {
  const userId = await createHumanUser(world.service, parent.organization);
  const made = await createLogin(world.service, userId, parent.oidc_application);
  return { fields: { user_id: userId, session_id: made.session, token_id: made.refresh_token } };
};

/** The providers of the world are deactivated and reactivated by other calls. */
const withProvider: Prepare = async (asked) => ({
  fields: {
    user_id: await freshUser(asked),
    idp_id: await createProvider(asked.world.service, asked.target.parent.organization),
  },
});

const withLink: Prepare = async (asked) => {
  const { world, target } = asked;
  const userId = await freshUser(asked);
  const made = await createLink(world.service, target.parent.organization, userId);
  return { fields: { user_id: userId, idp_id: made.identity_provider, external_user_id: made.idp_link } };
};

/** There is something to change and to remove, wherever the call acts. */
const withPolicies: Prepare = async ({ world: { service, organizations }, target, caller }) => {
  const settings = { allowPassword: true };
  for (const id of [target.parent.organization, organizations[caller.home]])
    await createCaller(service, id)(LoginPolicyService.method.updateLoginPolicy, settings);
  await service.call(LoginPolicyService.method.updateDefaultLoginPolicy, settings);
  return { fields: {} };
};

/** The policies offer no provider, whatever other calls have made of them. */
const withBarePolicies: Prepare = async (asked) => {
  await withPolicies(asked);
  const { world, target, caller } = asked;
  for (const id of new Set([target.parent.organization, world.organizations[caller.home]]))
    await createCaller(world.service, id)(LoginPolicyService.method.resetLoginPolicy, {});
  return await withPolicies(asked);
};

const ofMetadata = Object.fromEntries(
  ["Get", "Set", "Remove"].flatMap((verb) =>
    ["User", "Organization", "Project", "Application", "Group"].map(
      (kind) => [`${verb}${kind}Metadata`, withMetadata] as const,
    ),
  ),
);

const passwords = ["SetPassword", "SetPasswordHash", "RequestPasswordReset"];
const logins = ["TerminateSession", "TerminateUserSessions", "RemoveRefreshToken"];
const ofTexts = Object.fromEntries(
  ["Get", "Set", "Reset", "GetDefault", "SetDefault"].map(
    (verb) => [`${verb}CustomTexts`, withTexts] as const,
  ),
);

const preparations: Readonly<Record<string, Prepare>> = {
  DeactivateOrganization: onOrganization,
  RemoveOrganization: onOrganization,
  ...Object.fromEntries(["DeactivateUser", "ReactivateUser"].map((name) => [name, onUser])),
  LockUser: onUser,
  UnlockUser: onUser,
  RemoveUser: onUser,
  RemovePhone: onUser,
  SetEmail: onUser,
  ResendEmailCode: onUser,
  VerifyEmail: async (asked) => {
    const userId = await freshUser(asked);
    const set = await asked.world.service.call(UserService.method.setEmail, {
      userId,
      email: "ada@example.com",
      verification: { case: "returnCode", value: {} },
    });
    return { fields: { user_id: userId, verification_code: idOf(set, "verificationCode") } };
  },
  ...Object.fromEntries(passwords.map((name) => [name, onUser])),
  ResendInvitation: withOwnAddress,
  RemovePassword: onUser,
  RegisterU2f: onUser,
  VerifyU2f: withFactor,
  RemoveU2f: withFactor,
  RegisterTotp: onUser,
  VerifyTotp: withTotp,
  RemoveTotp: withTotp,
  RemoveCodeFactor: withCodeFactor,
  GenerateRecoveryCodes: withApp,
  RemoveRecoveryCodes: withRecoveryCodes,
  RegisterPasskey: onUser,
  VerifyPasskey: withPasskey,
  RemovePasskey: withPasskey,
  VerifyPhone: async (asked) => {
    const userId = await freshUser(asked);
    const set = await asked.world.service.call(UserService.method.setPhone, {
      userId,
      phone: nextPhone(),
      verification: { case: "returnCode", value: {} },
    });
    return { fields: { user_id: userId, verification_code: idOf(set, "verificationCode") } };
  },
  RemovePersonalAccessToken: async ({ world, target }) => {
    const userId = target.parent.user;
    const made = await world.service.call(UserService.method.addPersonalAccessToken, { userId });
    return { fields: { token_id: idOf(made, "tokenId") } };
  },
  ...ofTargets,
  ...Object.fromEntries(logins.map((name) => [name, withLogin])),
  GetLoginPolicy: withPolicies,
  GetDefaultLoginPolicy: withPolicies,
  UpdateLoginPolicy: withPolicies,
  ResetLoginPolicy: withBarePolicies,
  ...ofMetadata,
  ...ofTexts,
  UpdateDefaultLoginPolicy: withPolicies,
  GetExternalClientSettings: withExternalClients,
  UpdateExternalClientSettings: withExternalClients,
  GetLabelPolicy: withLabels,
  GetDefaultLabelPolicy: withLabels,
  UpdateLabelPolicy: withLabels,
  UpdateDefaultLabelPolicy: withLabels,
  SetLabelPolicyImage: withLabelImage,
  SetDefaultLabelPolicyImage: withLabelImage,
  ActivateLabelPolicy: withLabels,
  ActivateDefaultLabelPolicy: withLabels,
  ResetLabelPolicy: withLabels,
  AddIdpLink: withProvider,
  RemoveIdpLink: withLink,
  AddIdpToLoginPolicy: async ({ world: { service }, target: { leaf } }) => {
    const settings = { allowPassword: true };
    await createCaller(service, leaf.organization)(LoginPolicyService.method.updateLoginPolicy, settings);
    return { fields: { idp_id: await createProvider(service, leaf.organization) } };
  },
  RemoveIdpFromLoginPolicy: withLink,
  RemoveServiceUserKey: onServiceUser,
  AddServiceUserKey: onServiceUser,
  GenerateServiceUserSecret: onServiceUser,
  RemoveServiceUserSecret: onServiceUser,
  RemoveProject: async ({ world: { service }, target, caller }) => {
    const { id } = await createProject(service, target.leaf.organization, "reader");
    const { held } = caller;
    if (held?.scope.kind !== "project") return { fields: { id } };
    // Their role is about the project that goes, so it goes with a user like them.
    const user = await createServiceUser(service, target.leaf.organization);
    const scope = { case: "projectId", value: id } as const;
    await addMember(service, { userId: user.id, scope, role: held.role });
    return { fields: { id }, token: user.token };
  },
  RemoveProjectRole: async ({ world, target }) => {
    const { organization, project } = target.leaf;
    const roleKey = uniqueName("role").replaceAll(" ", "-");
    const inside = createCaller(world.service, organization);
    await inside(ProjectService.method.addProjectRole, { projectId: project, roleKey });
    return { fields: { role_key: roleKey } };
  },
  AddProjectGrant: async ({ world }) => ({
    fields: { granted_organization_id: await addOrganization(world) },
  }),
  RemoveProjectGrant: async ({ world, target }) => {
    const { organization, project, role } = target.leaf;
    const granted = await createCaller(world.service, organization)(ProjectService.method.addProjectGrant, {
      projectId: project,
      grantedOrganizationId: await addOrganization(world),
      roleKeys: [role],
    });
    return { fields: { grant_id: idOf(granted, "grantId") } };
  },
  RemoveApplication: async ({ world, target: { leaf } }) => ({
    fields: { app_id: await createApplication(world.service, leaf.organization, leaf.project) },
  }),
  AddApplicationKey: withClients,
  RemoveApplicationKey: withClients,
  RemoveIdentityProvider: async ({ world, target: { leaf } }) => ({
    fields: { idp_id: await createProvider(world.service, leaf.organization) },
  }),
  AddUserGrant: onUser,
  RemoveUserGrant: withUserGrant,
  BulkRemoveUserGrants: withUserGrant,
  RemoveGroup: onGroup,
  AddGroupGrant: async ({ world, target: { parent } }) => ({
    fields: { group_id: await createGroup(world.service, parent.organization) },
  }),
  RemoveGroupGrant: withGroupGrant,
  AddMembership: async (asked) => ({ fields: { user_id: await freshMember(asked) } }),
  UpdateMembership: withMembership,
  RemoveMembership: withMembership,
};

function freshUser({ world, target }: Asked): Promise<string> {
  return createHumanUser(world.service, target.parent.organization);
}

/** Makes a user of the organization of the scope. */
async function freshMember({ world, rpc, target }: Asked): Promise<string> {
  const { hq } = world.organizations;
  if (rpc.scope === "instance") return await createHumanUser(world.service, hq);
  if (rpc.scope !== "project_grant") return await createHumanUser(world.service, target.leaf.organization);
  const { user } = await world.service.call(UserService.method.getUser, { userId: target.leaf.grantee });
  const details = (user as JsonObject)["details"] as JsonObject; // the contract has both
  return await createHumanUser(world.service, idOf(details, "resourceOwner"));
}

function scopeOf({ scope }: MatrixRpc, leaf: Objects): MembershipScope {
  switch (scope) {
    case "instance":
      return { case: "instance", value: true };
    case "project":
      return { case: "projectId", value: leaf.project };
    case "project_grant":
      return { case: "projectGrantId", value: leaf.project_grant };
    case "organization":
    case undefined:
      return { case: "organizationId", value: leaf.organization };
  }
}

async function addOrganization({ service }: TenancyWorld): Promise<string> {
  const added = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Organization"),
  });
  return idOf(added, "organizationId");
}
