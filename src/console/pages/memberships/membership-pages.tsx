import type { JSX } from "preact";
import { useApi, useClient } from "../../api/api.ts";
import { GrantedProjectFrame } from "../../frames/granted-project-frame.tsx";
import { GroupFrame } from "../../frames/group-frame.tsx";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import { UserFrame } from "../../frames/user-frame.tsx";
import { OrganizationService } from "../../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { fullNameOfUser } from "../../ui/user-name.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { MembershipList, useAdding } from "./membership-list.tsx";
import { type MembershipScope, mayWriteRoles, rolesOf, toPermissionScope } from "./roles.ts";
import type { ScopeChoice } from "./scope-choice.ts";
import { membershipTexts } from "./texts.ts";

/** Lists the memberships of the whole installation, or those on it as a whole. */
export function InstanceMembershipsPage(): JSX.Element {
  const texts = useTexts(membershipTexts);
  const scope: MembershipScope = { case: "instance", value: true };
  const adding = useAdding(useScopesToAdd([{ scope, ownerId: undefined, title: texts.scope.instance }]));
  return (
    <PageFrame title={texts.title} lead={texts.lead.instance} actions={adding.button}>
      <MembershipList
        filters={[
          { name: "on", label: texts.whereFilter, options: [{ value: "instance", label: texts.onInstance }] },
          { name: "user", label: texts.userFilter },
        ]}
        adding={adding}
      />
    </PageFrame>
  );
}

/** Lists the memberships on an organization itself. */
export function OrganizationMembershipsPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { organization } = params;
  const scope: MembershipScope = { case: "organizationId", value: organization };
  const adding = useAdding(useScopesToAdd([{ scope, ownerId: organization, title: "" }]));
  return (
    <PageFrame title={texts.title} lead={texts.lead.organizationId} actions={adding.button}>
      <MembershipList scope={scope} filters={[{ name: "user", label: texts.userFilter }]} adding={adding} />
    </PageFrame>
  );
}

/** Lists the memberships on a single project. */
export function ProjectMembershipsPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const scope: MembershipScope = { case: "projectId", value: params.project };
  const adding = useAdding(useScopesToAdd([{ scope, ownerId: params.organization, title: "" }]));
  return (
    <ProjectFrame params={params} actions={() => adding.button}>
      {() => (
        <>
          <p class="hint list-head">{texts.lead.projectId}</p>
          <MembershipList scope={scope} adding={adding} />
        </>
      )}
    </ProjectFrame>
  );
}

/** Lists the memberships on a project that another organization has granted to this one. */
export function GrantedProjectMembershipsPage({
  params,
}: PageProps<"organization" | "project" | "grant">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const scope: MembershipScope = { case: "projectGrantId", value: params.grant };
  const adding = useAdding(useScopesToAdd([{ scope, ownerId: params.organization, title: "" }]));
  return (
    <GrantedProjectFrame params={params} actions={() => adding.button}>
      {() => (
        <>
          <p class="hint list-head">{texts.lead.projectGrantId}</p>
          <MembershipList scope={scope} adding={adding} />
        </>
      )}
    </GrantedProjectFrame>
  );
}

/** Lists the memberships of a user, on whatever the user of the console may read. */
export function UserMembershipsPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { permissions } = useApi();
  const mayAdd = permissions.canSomewhere("membership.write", params.organization);
  const loadScopes = useScopesOfPlace(params.organization);
  const adding = useAdding(mayAdd ? loadScopes : undefined);
  return (
    <UserFrame params={params} actions={() => adding.button}>
      {(user) => (
        <>
          <p class="hint list-head">{texts.lead.user}</p>
          <MembershipList user={{ id: user.id, title: fullNameOfUser(user) }} adding={adding} />
        </>
      )}
    </UserFrame>
  );
}

/** Lists the memberships of a group, which all who are in it hold. */
export function GroupMembershipsPage({ params }: PageProps<"organization" | "group">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { permissions } = useApi();
  const { organization } = params;
  const mayAdd =
    permissions.canSomewhere("membership.write", organization) &&
    permissions.can("group.write", { organization });
  const loadScopes = useScopesOfPlace(organization);
  const adding = useAdding(mayAdd ? loadScopes : undefined);
  return (
    <GroupFrame params={params} actions={() => adding.button}>
      {(group) => (
        <>
          <p class="hint list-head">{texts.lead.group}</p>
          <MembershipList group={{ id: group.id, title: group.name }} adding={adding} />
        </>
      )}
    </GroupFrame>
  );
}

/** Those of the scopes on which the user of the console may give a role; undefined when there is none. */
function useScopesToAdd(
  choices: readonly ScopeChoice[],
): (() => Promise<readonly ScopeChoice[]>) | undefined {
  const may = useMayAdd();
  const allowed = choices.filter(may);
  return allowed.length === 0 ? undefined : () => Promise.resolve(allowed);
}

function useMayAdd(): (choice: ScopeChoice) => boolean {
  const { permissions } = useApi();
  return ({ scope, ownerId }) =>
    scope.case !== undefined &&
    rolesOf(scope.case).some((role) => mayWriteRoles(permissions, [role], toPermissionScope(scope, ownerId)));
}

/** All scopes of the organization, and the installation, on which the user of the console may give a role. */
function useScopesOfPlace(organizationId: string): () => Promise<readonly ScopeChoice[]> {
  const texts = useTexts(membershipTexts).scope;
  const may = useMayAdd();
  const organizations = useClient(OrganizationService);
  const projects = useClient(ProjectService);
  return async () => {
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
