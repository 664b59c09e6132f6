import {
  type PrivateLabelingSetting,
  PrivateLabelingSettingSchema,
  ProjectState,
} from "../../../gen/gatehouse/v1/project_pb.ts";
import { ProjectGrantState } from "../../../gen/gatehouse/v1/project_grant_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import type { Page } from "../../base/paging.ts";
import type { FeatureContext } from "../context.ts";
import { enumName, enumNumber, toListDetails, toObjectDetails, toPageRequest } from "../messages.ts";
import { implementService, type ServiceImplementation, type ServiceRpcs } from "../rpc.ts";
import type { ProjectCommands } from "./commands.ts";
import type { Project, ProjectSettings } from "./project.ts";
import type { NamedProjectGrant } from "./project-grant.ts";
import { findRepeatedKeys, type ProjectRole } from "./role.ts";

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
        const filter = { name: request.name, state: stateNames[request.state] };
        const { page, sequence } = await commands.list(call, filter, toPageRequest(request));
        return { ...toPage(page, sequence, context), projects: page.items.map(toProjectMessage) };
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
      run: async (call, { id }) => ({ details: toObjectDetails(await commands.remove(call, id)) }),
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
      run: async (call, request) => ({
        details: toObjectDetails(await roles.add(call, request.projectId, [toRole(request)])),
      }),
    },
    bulkAddProjectRoles: {
      check: (request) => findRepeatedKeys(request.roles),
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
      run: async (call, { projectId, roleKey }) => ({
        details: toObjectDetails(await roles.remove(call, projectId, roleKey)),
      }),
    },
    listProjectRoles: {
      run: async (call, request) => {
        const { page, sequence } = await roles.list(call, request.projectId, toPageRequest(request));
        return { ...toPage(page, sequence, context), projectRoles: page.items.map(toRoleMessage) };
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
      run: async (call, request) => {
        const { id, details } = await grants.add(call, request);
        return { grantId: id, details: toObjectDetails(details) };
      },
    },
    getProjectGrant: {
      run: async (call, path) => ({ projectGrant: toProjectGrantMessage(await grants.get(call, path)) }),
    },
    updateProjectGrant: {
      run: async (call, request) => ({
        details: toObjectDetails(await grants.update(call, request, request.roleKeys)),
      }),
    },
    deactivateProjectGrant: {
      run: async (call, path) => ({ details: toObjectDetails(await grants.deactivate(call, path)) }),
    },
    reactivateProjectGrant: {
      run: async (call, path) => ({ details: toObjectDetails(await grants.reactivate(call, path)) }),
    },
    removeProjectGrant: {
      run: async (call, path) => ({ details: toObjectDetails(await grants.remove(call, path)) }),
    },
  };
}

function projectGrantListRpcs(
  { grants }: ProjectCommands,
  context: FeatureContext,
): Pick<Rpcs, "listProjectGrants" | "listGrantedProjects"> {
  return {
    listProjectGrants: {
      run: async (call, request) => {
        const { page, sequence } = await grants.list(call, request.projectId, toPageRequest(request));
        return { ...toPage(page, sequence, context), projectGrants: page.items.map(toProjectGrantMessage) };
      },
    },
    listGrantedProjects: {
      run: async (call, request) => {
        const { page, sequence } = await grants.listGranted(call, toPageRequest(request));
        return { ...toPage(page, sequence, context), grantedProjects: page.items.map(toProjectGrantMessage) };
      },
    },
  };
}

function toPage(page: Page<unknown>, sequence: number, { clock }: FeatureContext) {
  const details = toListDetails(page, { sequence, nowMs: clock.nowMs() });
  return { details, nextPageToken: page.nextPageToken };
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

function toRole(request: { readonly roleKey: string; readonly displayName: string; readonly group: string }) {
  return { key: request.roleKey, displayName: request.displayName, group: request.group };
}

function toRoleMessage({ key, details, displayName, group }: ProjectRole) {
  return { key, details: toObjectDetails(details), displayName, group };
}

function toProjectGrantMessage(grant: NamedProjectGrant) {
  return {
    id: grant.id,
    details: toObjectDetails(grant.details),
    state: grant.state === "ACTIVE" ? ProjectGrantState.ACTIVE : ProjectGrantState.INACTIVE,
    projectId: grant.projectId,
    projectName: grant.projectName,
    grantedOrganizationId: grant.grantedOrganizationId,
    roleKeys: [...grant.roleKeys],
  };
}
