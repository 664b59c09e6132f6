import type { JsonObject } from "@bufbuild/protobuf";
import { pngOf } from "../../support/images.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { SigningKeyUse } from "../../../gen/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  idOf,
  uniqueName,
} from "../../support/world.ts";
import { applicationEffectCases } from "./application-effect-cases.ts";
import { groupEffectCases, newGroupIn } from "./group-effect-cases.ts";
import { claimEffectCases, metadataEffectCases } from "./metadata-effect-cases.ts";
import {
  changesDates,
  dates,
  type EffectCase,
  type Ground,
  type Read,
  type Seen,
  seenAsId,
} from "./field-effect.ts";
import { hookEffectCases } from "./hook-effect-cases.ts";
import { providerEffectCases } from "./provider-effect-cases.ts";
import { targetEffectCases } from "./target-effect-cases.ts";
import { userEffectCases } from "./user-effect-cases.ts";

const organizations = OrganizationService.method;
const memberships = MembershipService.method;
const projects = ProjectService.method;
const grants = UserGrantService.method;

const insideOf = ({ service, world }: Ground) => createCaller(service, world.organizationId);
const ofProjectRoles = (projectId: string): Read => [projects.listProjectRoles, { projectId }];
const seenAsKey = ({ value, read }: Seen) => JSON.stringify(read).includes(`"key":${JSON.stringify(value)}`);

const newProjectIn = ({ service, world }: Ground, roleKeys: readonly string[] = []) =>
  createProject(service, world.organizationId, roleKeys);

const policySettings = {
  allow_password: true,
  min_password_length: 9,
  max_password_attempts: 7,
  session_idle_seconds: 301,
  session_lifetime_seconds: 302,
  second_factors: ["SECOND_FACTOR_TYPE_U2F"],
};

const labelSettings = {
  light: {
    primary_color: "#000001",
    background_color: "#fefefe",
    warn_color: "#000002",
    font_color: "#000003",
  },
  dark: {
    primary_color: "#fffff1",
    background_color: "#010101",
    warn_color: "#fffff2",
    font_color: "#fffff3",
  },
  theme: "LABEL_THEME_DARK",
  corner_radius: 3,
  terms_url: "https://terms.example.com/",
  privacy_url: "https://privacy.example.com/",
  help_url: "https://help.example.com/",
  support_email: "help@example.com",
};

/** Messages are compared by all of their values. */
const showsAll: NonNullable<EffectCase["seenAs"]>[string] = ({ read, value }) =>
  Object.values(value as JsonObject).every((each) => JSON.stringify(read).includes(JSON.stringify(each)));

const labelImage = {
  kind: "LABEL_IMAGE_KIND_ICON_LIGHT",
  image: Buffer.from(pngOf(3, 3)).toString("base64"),
};

/** The rpcs that add something or change it by what their fields say. */
export const effectCases: Readonly<Record<string, EffectCase>> = {
  RotateSigningKeys: {
    async prepare({ service }) {
      for (const use of [SigningKeyUse.OIDC, SigningKeyUse.SAML])
        await service.call(SigningKeyService.method.rotateSigningKeys, { use, revokeOld: true });
      return { read: () => [SigningKeyService.method.listSigningKeys, {}] };
    },
    seenAs: {
      revoke_old: ({ read }) => !JSON.stringify(read).includes("_NEXT"),
      // The list ends with the newest key.
      use: ({ read, value }) => (read["signingKeys"] as readonly JsonObject[]).at(-1)?.["use"] === value,
    },
  },
  UpdateLoginPolicy: {
    prepare: async () => ({
      given: policySettings,
      read: () => [LoginPolicyService.method.getLoginPolicy, {}],
    }),
    seenAs: { allow_password: ({ read }) => JSON.stringify(read).includes('"allowPassword":true') },
  },
  UpdateDefaultLoginPolicy: {
    prepare: async () => ({
      given: policySettings,
      read: () => [LoginPolicyService.method.getDefaultLoginPolicy, {}],
    }),
    seenAs: { allow_password: ({ read }) => JSON.stringify(read).includes('"allowPassword":true') },
  },
  ...Object.fromEntries(
    (["", "Default"] as const).flatMap((kind): readonly (readonly [string, EffectCase])[] => {
      const method = LabelPolicyService.method[`get${kind}LabelPolicy`];
      return [
        [
          `Update${kind}LabelPolicy`,
          {
            prepare: async () => ({ given: labelSettings, read: () => [method, {}] }),
            seenAs: { light: showsAll, dark: showsAll },
          },
        ],
        [
          `Set${kind}LabelPolicyImage`,
          {
            prepare: async () => ({ given: labelImage, read: () => [method, {}] }),
            seenAs: { image: ({ read: answer }) => JSON.stringify(answer).includes("/brand/") },
          },
        ],
      ];
    }),
  ),
  AddOrganization: {
    prepare: async () => ({
      read: (answer) => [organizations.getOrganization, { id: idOf(answer, "organizationId") }],
    }),
  },
  UpdateOrganization: {
    async prepare({ service }) {
      const added = await service.call(organizations.addOrganization, { name: uniqueName("Old") });
      const id = idOf(added, "organizationId");
      return { given: { id }, read: () => [organizations.getOrganization, { id }] };
    },
  },
  ...Object.fromEntries(
    (["", "Default"] as const).map((kind): readonly [string, EffectCase] => [
      `Set${kind}CustomTexts`,
      {
        prepare: async () => ({
          given: { language: "de", texts: [{ key: "account.title", text: "Mein Zuhause" }] },
          read: () => [CustomTextService.method[`get${kind}CustomTexts`], { language: "de" }],
        }),
        seenAs: { texts: ({ read }) => JSON.stringify(read).includes("Mein Zuhause") },
      },
    ]),
  ),
  AddMembership: {
    alternatives: [["group_id"], ["user_id"]],
    async prepare(ground, without) {
      const { service, world } = ground;
      const { id } = await createServiceUser(service, world.organizationId);
      const groupId = await newGroupIn(ground);
      const scopes = {
        instance: { role: "INSTANCE_VIEWER", value: true },
        organization_id: { role: "ORGANIZATION_VIEWER", value: world.organizationId },
        project_id: { role: "PROJECT_VIEWER", value: world.projectId },
        project_grant_id: { role: "PROJECT_GRANT_OWNER", value: world.projectGrantId },
      };
      const scope = Object.entries(scopes).find(([name]) => !without.includes(name));
      if (scope === undefined) throw new Error("there is a scope that the case does not know");
      const given = { user_id: id, group_id: groupId, roles: [scope[1].role], [scope[0]]: scope[1].value };
      const of: JsonObject = without.includes("user_id") ? { groupId } : { userId: id };
      return { given, read: () => [memberships.listMemberships, of] };
    },
  },
  UpdateMembership: {
    async prepare({ service, world }) {
      const { id } = await createServiceUser(service, world.organizationId);
      const scope = { case: "organizationId" as const, value: world.organizationId };
      const added = await service.call(memberships.addMembership, {
        userId: id,
        scope,
        roles: ["ORGANIZATION_VIEWER"],
        ...dates,
      });
      return {
        given: { membership_id: idOf(added, "membershipId"), roles: ["ORGANIZATION_USER_MANAGER"] },
        read: () => [memberships.listMemberships, { userId: id }],
      };
    },
    ...changesDates,
    seenAs: { ...changesDates.seenAs, membership_id: seenAsId },
  },
  AddProject: {
    prepare: async () => ({ read: (answer) => [projects.getProject, { id: idOf(answer, "id") }] }),
  },
  UpdateProject: {
    async prepare(ground) {
      const id = await newProjectIn(ground);
      return { given: { id }, read: () => [projects.getProject, { id }] };
    },
  },
  AddProjectRole: {
    async prepare(ground) {
      const projectId = await newProjectIn(ground);
      return { given: { project_id: projectId }, read: () => ofProjectRoles(projectId) };
    },
    seenAs: { role_key: seenAsKey },
  },
  BulkAddProjectRoles: {
    async prepare(ground) {
      const projectId = await newProjectIn(ground);
      return { given: { project_id: projectId }, read: () => ofProjectRoles(projectId) };
    },
    seenAs: { "roles.role_key": seenAsKey },
  },
  UpdateProjectRole: {
    async prepare(ground) {
      const projectId = await newProjectIn(ground, ["reader"]);
      return { given: { project_id: projectId, role_key: "reader" }, read: () => ofProjectRoles(projectId) };
    },
    seenAs: { role_key: seenAsKey },
  },
  AddProjectGrant: {
    async prepare(ground) {
      const projectId = await newProjectIn(ground, ["reader"]);
      return {
        given: {
          project_id: projectId,
          granted_organization_id: ground.partnerId,
          role_keys: ["reader"],
        },
        read: (answer) => [projects.getProjectGrant, { projectId, grantId: idOf(answer, "grantId") }],
      };
    },
  },
  UpdateProjectGrant: {
    ...changesDates,
    async prepare(ground) {
      const projectId = await newProjectIn(ground, ["reader", "writer"]);
      const added = await insideOf(ground)(projects.addProjectGrant, {
        projectId,
        grantedOrganizationId: ground.partnerId,
        roleKeys: ["reader"],
        ...dates,
      });
      const grant = { projectId, grantId: idOf(added, "grantId") };
      return {
        given: { project_id: projectId, grant_id: grant.grantId, role_keys: ["writer"] },
        read: () => [projects.getProjectGrant, grant],
      };
    },
  },
  AddUserGrant: {
    alternatives: [["project_grant_id"], []],
    async prepare({ service, world, partnerId }, without) {
      const organizationId = without.includes("project_grant_id") ? world.organizationId : partnerId;
      const userId = await createHumanUser(service, organizationId);
      return {
        organizationId,
        given: {
          user_id: userId,
          project_id: world.projectId,
          project_grant_id: world.projectGrantId,
          role_keys: ["reader"],
        },
        read: (answer) => [grants.getUserGrant, { userId, grantId: idOf(answer, "userGrantId") }],
      };
    },
  },
  UpdateUserGrant: {
    ...changesDates,
    async prepare(ground) {
      const { world, service } = ground;
      const userId = await createHumanUser(service, world.organizationId);
      const added = await insideOf(ground)(grants.addUserGrant, {
        userId,
        projectId: world.projectId,
        roleKeys: ["reader"],
        ...dates,
      });
      const grantId = idOf(added, "userGrantId");
      return {
        given: { user_id: userId, grant_id: grantId, role_keys: ["writer"] },
        read: () => [grants.getUserGrant, { userId, grantId }],
      };
    },
  },
  ...applicationEffectCases,
  ...groupEffectCases,
  ...metadataEffectCases,
  ...targetEffectCases,
  ...hookEffectCases,
  ...claimEffectCases,
  ...providerEffectCases,
  ...userEffectCases,
};
