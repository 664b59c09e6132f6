import type { DescMessage, DescMethodUnary, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { TargetService } from "../../../gen/gatehouse/v1/target_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { Thing, World } from "./world.ts";

/** Where an update reads what it begins with. A list is searched for the object. */
const readers: Readonly<Record<string, DescMethodUnary>> = {
  UpdateApplication: ApplicationService.method.getApplication,
  UpdateOidcConfig: ApplicationService.method.getApplication,
  UpdateApiConfig: ApplicationService.method.getApplication,
  UpdateSamlConfig: ApplicationService.method.getApplication,
  UpdateSamlSettings: ApplicationService.method.getApplication,
  UpdateJwtIdentityProvider: IdentityProviderService.method.getIdentityProvider,
  UpdateIdentityProvider: IdentityProviderService.method.getIdentityProvider,
  UpdateLoginPolicy: LoginPolicyService.method.getLoginPolicy,
  UpdateDefaultLoginPolicy: LoginPolicyService.method.getDefaultLoginPolicy,
  UpdateLabelPolicy: LabelPolicyService.method.getLabelPolicy,
  UpdateDefaultLabelPolicy: LabelPolicyService.method.getDefaultLabelPolicy,
  UpdateExternalClientSettings: ApplicationService.method.getExternalClientSettings,
  UpdateHook: HookService.method.getHook,
  UpdateTarget: TargetService.method.getTarget,
  UpdateGroup: GroupService.method.getGroup,
  UpdateGroupGrant: GroupService.method.getGroupGrant,
  UpdateMembership: MembershipService.method.listMemberships,
  UpdateOrganization: OrganizationService.method.getOrganization,
  UpdateProject: ProjectService.method.getProject,
  UpdateProjectRole: ProjectService.method.listProjectRoles,
  UpdateProjectGrant: ProjectService.method.getProjectGrant,
  UpdateUserGrant: UserGrantService.method.getUserGrant,
  UpdateHumanUser: UserService.method.getUser,
  UpdateServiceUser: UserService.method.getUser,
};

/** Returns the fields of an update as they are stored now. Undefined for a call that is no update. */
export async function readStored(
  { ground, organizations }: World,
  method: DescMethodUnary,
  { ids, organizationId }: Thing,
): Promise<JsonObject | undefined> {
  if (!method.name.startsWith("Update")) return undefined;
  const reader = readers[method.name];
  if (reader === undefined) throw new Error(`write down where ${method.name} reads what is stored`);
  const named = reader.input.fields.filter(({ jsonName }) => Object.hasOwn(ids, jsonName));
  const body = Object.fromEntries(named.map(({ jsonName }) => [jsonName, ids[jsonName] ?? ""]));
  const token = ground.service.adminToken;
  const answer = await ground.call(reader, body, {
    token,
    organizationId: organizationId === "" ? organizations.default : organizationId,
  });
  if (!answer.isDone) return {}; // removed by an earlier call
  const found = findObject(answer.json, Object.values(ids));
  return take(method.input, found);
}

/** Returns the message of a list that holds one of the ids, or the whole answer. */
function findObject(answer: JsonObject, ids: readonly string[]): JsonValue {
  const lists = Object.values(answer).filter(Array.isArray);
  const holds = (item: JsonValue) => ids.some((id) => JSON.stringify(item).includes(`"${id}"`));
  return lists.flat().find(holds) ?? answer;
}

/** Takes what has the name of a field, wherever it stands, down to its own fields. */
function take(message: DescMessage, from: JsonValue): JsonObject {
  return Object.fromEntries(
    message.fields.flatMap((field) => {
      const value = find(from, field.jsonName);
      if (value === undefined || field.jsonName === "details") return [];
      const isMessage =
        field.message !== undefined && field.fieldKind !== "list" && typeof value === "object";
      return [[field.jsonName, isMessage ? take(field.message, value) : value]];
    }),
  );
}

function find(from: JsonValue, name: string): JsonValue | undefined {
  if (typeof from !== "object" || from === null || Array.isArray(from)) return undefined;
  if (Object.hasOwn(from, name)) return from[name];
  for (const inner of Object.values(from)) {
    const found = find(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
