import { PrivateLabelingSettingSchema, ProjectState } from "../../../gen/gatehouse/v1/project_pb.ts";
import { ProjectGrantState } from "../../../gen/gatehouse/v1/project_grant_pb.ts";
import {
  type AddProjectRequest,
  type AddProjectRoleRequest,
  ProjectService,
  type UpdateProjectRequest,
} from "../../../gen/gatehouse/v1/project_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import {
  enumName,
  enumNumber,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  valueName,
} from "../messages.ts";
import {
  checkExpiresBefore,
  checkPeriod,
  checkPeriodChange,
  readExpiresBefore,
  readPeriod,
  readPeriodChange,
  toPeriodMessage,
} from "../rights-in-time/period-messages.ts";
import { implementService, type ServiceImplementation, type ServiceRpcs } from "../rpc.ts";
import type { ProjectCommands } from "./commands.ts";
import type { Project, ProjectSettings } from "./project.ts";
import type { NamedProjectGrant } from "./project-grant.ts";
import { checkNewRole, findRepeatedKeys, type ProjectRole, type RoleSettings } from "./role.ts";

type Rpcs = ServiceRpcs<typeof ProjectService>;

/** Maps the messages of ProjectService to commands. */
export function createProjectService(
  commands: ProjectCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(ProjectService, {
    ...projectRpcs(commands, context),
    ...roleRpcs(commands, context),
    ...projectGrantRpcs(commands),
    ...projectGrantListRpcs(commands, context),
  });
}

function projectRpcs(
  commands: ProjectCommands,
  context: FeatureContext,
): Pick<
  Rpcs,
  | "addProject"
  | "getProject"
  | "listProjects"
  | "updateProject"
  | "deactivateProject"
  | "reactivateProject"
  | "removeProject"
> {
  return {
    addProject: {
      run: async (call, request) => {
        const { id, details } = await commands.add(call, toSettings(request));
        return { id, details: toObjectDetails(details) };
      },
    },
    getProject: {
      run: async (call, request) => ({ project: toProjectMessage(await commands.get(call, request.id)) }),
    },
    listProjects: {
      run: async (call, request) => {
        const filter = { ...request, state: valueName(ProjectState, request.state) };
        const listed = await commands.list(call, filter, toPageRequest(request));
        return { ...toListAnswer(listed, context), projects: listed.page.items.map(toProjectMessage) };
      },
    },
    updateProject: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.update(call, request.id, toSettings(request))),
      }),
    },
    deactivateProject: {
      run: async (call, { id }) => ({ details: toObjectDetails(await commands.deactivate(call, id)) }),
    },
    reactivateProject: {
      run: async (call, { id }) => ({ details: toObjectDetails(await commands.reactivate(call, id)) }),
    },
    removeProject: {
      run: async (call, { id }) => toRemovalAnswer(await commands.remove(call, id)),
    },
  };
}

function roleRpcs(
  { roles }: ProjectCommands,
  context: FeatureContext,
): Pick<
  Rpcs,
  "addProjectRole" | "bulkAddProjectRoles" | "updateProjectRole" | "removeProjectRole" | "listProjectRoles"
> {
  return {
    addProjectRole: {
      check: (request) => checkNewRole(request),
      run: async (call, request) => ({
        details: toObjectDetails(await roles.add(call, request.projectId, [toRole(request)])),
      }),
    },
    bulkAddProjectRoles: {
      check: ({ roles: asked }) => [
        ...findRepeatedKeys(asked),
        ...asked.flatMap((role, index) => checkNewRole(role, `roles[${index}].`)),
      ],
      run: async (call, request) => ({
        details: toObjectDetails(await roles.add(call, request.projectId, request.roles.map(toRole))),
      }),
    },
    updateProjectRole: {
      run: async (call, request) => ({
        details: toObjectDetails(await roles.update(call, request.projectId, toRole(request))),
      }),
    },
    removeProjectRole: {
      run: async (call, { projectId, roleKey }) =>
        toRemovalAnswer(await roles.remove(call, projectId, roleKey)),
    },
    listProjectRoles: {
      run: async (call, request) => {
        const listed = await roles.list(call, request.projectId, toPageRequest(request));
        return { ...toListAnswer(listed, context), projectRoles: listed.page.items.map(toRoleMessage) };
      },
    },
  };
}

function projectGrantRpcs({
  grants,
}: ProjectCommands): Pick<
  Rpcs,
  | "addProjectGrant"
  | "getProjectGrant"
  | "updateProjectGrant"
  | "deactivateProjectGrant"
  | "reactivateProjectGrant"
  | "removeProjectGrant"
> {
  return {
    addProjectGrant: {
      check: checkPeriod,
      run: async (call, request) => {
        const { id, details } = await grants.add(call, { ...request, ...readPeriod(request) });
        return { grantId: id, details: toObjectDetails(details) };
      },
    },
    getProjectGrant: {
      run: async (call, path) => ({ projectGrant: toProjectGrantMessage(await grants.get(call, path)) }),
    },
    updateProjectGrant: {
      check: checkPeriodChange,
      run: async (call, request) => {
        const asked = { roleKeys: request.roleKeys, ...readPeriodChange(request) };
        return { details: toObjectDetails(await grants.update(call, request, asked)) };
      },
    },
    deactivateProjectGrant: {
      run: async (call, path) => ({ details: toObjectDetails(await grants.deactivate(call, path)) }),
    },
    reactivateProjectGrant: {
      run: async (call, path) => ({ details: toObjectDetails(await grants.reactivate(call, path)) }),
    },
    removeProjectGrant: {
      run: async (call, path) => toRemovalAnswer(await grants.remove(call, path)),
    },
  };
}

function projectGrantListRpcs(
  { grants }: ProjectCommands,
  context: FeatureContext,
): Pick<Rpcs, "listProjectGrants" | "listGrantedProjects"> {
  return {
    listProjectGrants: {
      check: checkExpiresBefore,
      run: async (call, request) => {
        const asked = { projectId: request.projectId, ...readExpiresBefore(request) };
        const listed = await grants.list(call, asked, toPageRequest(request));
        const projectGrants = listed.page.items.map(toProjectGrantMessage);
        return { ...toListAnswer(listed, context), projectGrants };
      },
    },
    listGrantedProjects: {
      check: checkExpiresBefore,
      run: async (call, request) => {
        const listed = await grants.listGranted(call, readExpiresBefore(request), toPageRequest(request));
        const grantedProjects = listed.page.items.map(toProjectGrantMessage);
        return { ...toListAnswer(listed, context), grantedProjects };
      },
    },
  };
}

/** A request has every setting under the same name, except the enum. */
function toSettings(request: AddProjectRequest | UpdateProjectRequest): ProjectSettings {
  const { privateLabelingSetting: setting, ...settings } = request;
  return { ...settings, privateLabelingSetting: enumName(PrivateLabelingSettingSchema, setting) };
}

function toProjectMessage({ details, state, privateLabelingSetting: setting, ...project }: Project) {
  return {
    ...project,
    details: toObjectDetails(details),
    state: ProjectState[state],
    privateLabelingSetting: enumNumber(PrivateLabelingSettingSchema, setting),
  };
}

function toRole({
  roleKey,
  displayName,
  group,
}: Omit<AddProjectRoleRequest, "$typeName" | "projectId">): RoleSettings {
  return { key: roleKey, displayName, group };
}

function toRoleMessage({ key, details, displayName, group }: ProjectRole) {
  return { key, details: toObjectDetails(details), displayName, group };
}

function toProjectGrantMessage({
  details,
  state,
  roleKeys,
  startDate,
  endDate,
  ...grant
}: NamedProjectGrant) {
  return {
    ...grant,
    details: toObjectDetails(details),
    state: ProjectGrantState[state],
    roleKeys: [...roleKeys],
    ...toPeriodMessage({ startDate, endDate }),
  };
}
