import {
  type PrivateLabelingSetting,
  PrivateLabelingSettingSchema,
  ProjectState,
} from "../../../gen/gatehouse/v1/project_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { enumName, enumNumber, toListDetails, toObjectDetails, toPageRequest } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { FeatureContext } from "../context.ts";
import type { ProjectCommands } from "./commands.ts";
import type { Project, ProjectSettings } from "./project.ts";
import { findRepeatedKeys } from "./role.ts";

/** Maps the messages of ProjectService to commands. */
export function createProjectService(
  commands: ProjectCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(ProjectService, {
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
        const filter = { name: request.name, state: stateNames[request.state] };
        const { page, sequence } = await commands.list(call, filter, toPageRequest(request));
        return {
          details: toListDetails(page, { sequence, nowMs: context.clock.nowMs() }),
          projects: page.items.map(toProjectMessage),
          nextPageToken: page.nextPageToken,
        };
      },
    },
    updateProject: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.update(call, request.id, toSettings(request))),
      }),
    },
    addProjectRole: {
      run: async (call, request) => {
        const role = { key: request.roleKey, displayName: request.displayName, group: request.group };
        return { details: toObjectDetails(await commands.roles.add(call, request.projectId, [role])) };
      },
    },
    bulkAddProjectRoles: {
      check: (request) => findRepeatedKeys(request.roles),
      run: async (call, request) => {
        const roles = request.roles.map((role) => ({
          key: role.roleKey,
          displayName: role.displayName,
          group: role.group,
        }));
        return { details: toObjectDetails(await commands.roles.add(call, request.projectId, roles)) };
      },
    },
    addProjectGrant: {
      run: async (call, request) => {
        const { id, details } = await commands.grants.add(call, request);
        return { grantId: id, details: toObjectDetails(details) };
      },
    },
  });
}

const stateNames: Readonly<Record<ProjectState, Project["state"] | undefined>> = {
  [ProjectState.UNSPECIFIED]: undefined,
  [ProjectState.ACTIVE]: "ACTIVE",
  [ProjectState.INACTIVE]: "INACTIVE",
};

function toSettings(request: {
  readonly name: string;
  readonly projectRoleAssertion: boolean;
  readonly projectRoleCheck: boolean;
  readonly hasProjectCheck: boolean;
  readonly privateLabelingSetting: PrivateLabelingSetting;
}): ProjectSettings {
  return {
    name: request.name,
    projectRoleAssertion: request.projectRoleAssertion,
    projectRoleCheck: request.projectRoleCheck,
    hasProjectCheck: request.hasProjectCheck,
    privateLabelingSetting: enumName(PrivateLabelingSettingSchema, request.privateLabelingSetting),
  };
}

function toProjectMessage(project: Project) {
  return {
    id: project.id,
    details: toObjectDetails(project.details),
    state: project.state === "ACTIVE" ? ProjectState.ACTIVE : ProjectState.INACTIVE,
    name: project.name,
    projectRoleAssertion: project.projectRoleAssertion,
    projectRoleCheck: project.projectRoleCheck,
    hasProjectCheck: project.hasProjectCheck,
    privateLabelingSetting: enumNumber(PrivateLabelingSettingSchema, project.privateLabelingSetting),
  };
}
