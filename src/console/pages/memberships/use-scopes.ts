import { createClient } from "@connectrpc/connect";
import { useApi } from "../../api/api.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { mayWriteRoles, rolesOf, toPermissionScope } from "./roles.ts";
import type { ScopeChoice } from "./scope-choice.ts";
import { membershipTexts } from "./texts.ts";

/** Those of the scopes on which the user of the console may give a role; undefined when there is none. */
export function useScopesToAdd(
  choices: readonly ScopeChoice[],
): (() => Promise<readonly ScopeChoice[]>) | undefined {
  const may = useMayAdd();
  const allowed = choices.filter(may);
  return allowed.length === 0 ? undefined : () => Promise.resolve(allowed);
}

/** All scopes of the organization, and the installation, on which the user of the console may give a role. */
export function useScopesOfPlace(organizationId: string): () => Promise<readonly ScopeChoice[]> {
  const texts = useTexts(membershipTexts).scope;
  const may = useMayAdd();
  const { transport } = useApi();
  return async () => {
    // Read when somebody adds: the lists do without.
    const [{ OrganizationService }, { ProjectService }] = await Promise.all([
      import("../../../../gen/console/gatehouse/v1/organization_service_pb.ts"),
      import("../../../../gen/console/gatehouse/v1/project_service_pb.ts"),
    ]);
    const organizations = createClient(OrganizationService, transport(organizationId));
    const projects = createClient(ProjectService, transport(organizationId));
    const all = { pageSize: 1000 };
    const [own, owned, granted] = await Promise.allSettled([
      organizations.getOrganization({ id: organizationId }),
      projects.listProjects(all),
      projects.listGrantedProjects(all),
    ]);
    const name = own.status === "fulfilled" ? (own.value.organization?.name ?? "") : organizationId;
    const choices: readonly ScopeChoice[] = [
      {
        scope: { case: "organizationId", value: organizationId },
        ownerId: organizationId,
        title: texts.organizationId(name),
      },
      ...(owned.status === "fulfilled" ? owned.value.projects : []).map(({ id, name: title }) => ({
        scope: { case: "projectId" as const, value: id },
        ownerId: organizationId,
        title: texts.projectId(title),
      })),
      ...(granted.status === "fulfilled" ? granted.value.grantedProjects : []).map(({ id, projectName }) => ({
        scope: { case: "projectGrantId" as const, value: id },
        ownerId: organizationId,
        title: texts.projectGrantId(projectName),
      })),
      { scope: { case: "instance", value: true }, ownerId: undefined, title: texts.instance },
    ];
    return choices.filter(may);
  };
}

function useMayAdd(): (choice: ScopeChoice) => boolean {
  const { permissions } = useApi();
  return ({ scope, ownerId }) =>
    scope.case !== undefined &&
    rolesOf(scope.case).some((role) => mayWriteRoles(permissions, [role], toPermissionScope(scope, ownerId)));
}
