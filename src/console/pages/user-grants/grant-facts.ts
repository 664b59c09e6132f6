import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient } from "@connectrpc/connect";
import { useApi } from "../../api/api.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import type { Organization } from "../../../../gen/console/gatehouse/v1/organization_pb.ts";
import { OrganizationService } from "../../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import type { ProjectGrant } from "../../../../gen/console/gatehouse/v1/project_grant_pb.ts";
import { ProjectService } from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import type { User } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import type { UserGrant } from "../../../../gen/console/gatehouse/v1/user_grant_pb.ts";
import { UserGrantService } from "../../../../gen/console/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { toPath } from "../../routing/routes.ts";
import { standingOf } from "../../ui/period/period.ts";
import { fullNameOfUser } from "../../ui/user-name.ts";
import type { GrantLink } from "./reasons.ts";

/** The ids in the address of the page of a user grant. */
export interface GrantParams {
  readonly organization: string;
  readonly user: string;
  readonly grant: string;
}

/** All that the page of a user grant shows. */
export interface GrantFacts {
  readonly grant: UserGrant;
  readonly userName: string;
  readonly projectName: string;
  /** Set if another organization owns the project. */
  readonly projectGrant: ProjectGrant | undefined;
  /** What must be active for the grant to count. */
  readonly links: readonly GrantLink[];
  /** The roles that the user holds by it now. */
  readonly effective: readonly string[];
}

interface Clients {
  readonly grants: Client<typeof UserGrantService>;
  readonly users: Client<typeof UserService>;
  readonly organizations: Client<typeof OrganizationService>;
  projects(ownerId: string): Client<typeof ProjectService>;
}

/** Reads a user grant and all that it rests on, as far as the user of the console may see it. */
export function useGrantFacts(params: GrantParams): Query<GrantFacts> {
  const { transport } = useApi();
  const { organization, user, grant } = params;
  return useQuery(() => {
    const own = transport(organization);
    return readFacts(params, {
      grants: createClient(UserGrantService, own),
      users: createClient(UserService, own),
      organizations: createClient(OrganizationService, own),
      projects: (ownerId) => createClient(ProjectService, transport(ownerId)),
    });
  }, [transport, organization, user, grant]);
}

async function readFacts(params: GrantParams, clients: Clients): Promise<GrantFacts> {
  const { organization, user: userId, grant: grantId } = params;
  const { userGrant: grant } = await clients.grants.getUserGrant({ userId, grantId });
  if (grant === undefined) throw new Error("GetUserGrant answered without a user grant");
  const [user, projectGrant, { effectiveRoles, details }] = await Promise.all([
    seen(async () => (await clients.users.getUser({ userId })).user),
    seen(() => readProjectGrant(clients, organization, grant)),
    clients.grants.listEffectiveRoles({
      userId,
      projectId: grant.projectId,
      organizationId: organization,
    }),
  ]);
  const ownerId = projectGrant?.details?.resourceOwner ?? organization;
  const project = await seen(async () => {
    const answer = await clients.projects(ownerId).getProject({ id: grant.projectId });
    return answer.project;
  });
  // The clock of the service: that of the browser may be wrong.
  const now = details?.viewTimestamp === undefined ? new Date() : timestampDate(details.viewTimestamp);
  const projectName = project?.name ?? projectGrant?.projectName ?? grant.projectId;
  return {
    grant,
    userName: user === undefined ? userId : fullNameOfUser(user),
    projectName,
    projectGrant,
    links: [
      { kind: "grant", title: "", state: grant.state, standing: standingOf(grant, now) },
      ...(await linksOfUser(clients, params, user)),
      await linkOfOrganization(clients, "givingOrganization", organization),
      {
        kind: "project",
        title: projectName,
        to:
          project === undefined
            ? undefined
            : toPath("/orgs/:organization/projects/:project", {
                organization: ownerId,
                project: grant.projectId,
              }),
        state: project?.state,
      },
      ...(await linksOfProjectGrant(clients, params, { grant, projectGrant, now })),
    ],
    effective: effectiveRoles.flatMap(({ roleKeys }) => roleKeys),
  };
}

async function readProjectGrant(
  clients: Clients,
  organizationId: string,
  { projectId, projectGrantId }: UserGrant,
): Promise<ProjectGrant | undefined> {
  if (projectGrantId === "") return undefined;
  const answer = await clients.projects(organizationId).getProjectGrant({
    projectId,
    grantId: projectGrantId,
  });
  return answer.projectGrant;
}

async function linksOfUser(
  clients: Clients,
  params: GrantParams,
  user: User | undefined,
): Promise<readonly GrantLink[]> {
  const home = user?.details?.resourceOwner;
  const to =
    home === undefined
      ? undefined
      : toPath("/orgs/:organization/users/:user", { organization: home, user: params.user });
  const title = user === undefined ? params.user : fullNameOfUser(user);
  const own: GrantLink = { kind: "user", title, to, state: user?.state };
  // The organization that gave it stands in the chain anyway.
  if (home === params.organization) return [own];
  if (home === undefined) return [own, { kind: "userOrganization", title: "", state: undefined }];
  return [own, await linkOfOrganization(clients, "userOrganization", home)];
}

async function linksOfProjectGrant(
  clients: Clients,
  { organization }: GrantParams,
  {
    grant: { projectId, projectGrantId },
    projectGrant,
    now,
  }: { readonly grant: UserGrant; readonly projectGrant: ProjectGrant | undefined; readonly now: Date },
): Promise<readonly GrantLink[]> {
  if (projectGrantId === "") return [];
  const ids = { organization, project: projectId, grant: projectGrantId };
  const ownerId = projectGrant?.details?.resourceOwner;
  return [
    {
      kind: "projectGrant",
      title: projectGrant?.projectName ?? projectGrantId,
      to:
        projectGrant === undefined
          ? undefined
          : toPath("/orgs/:organization/granted-projects/:project/:grant", ids),
      state: projectGrant?.state,
      standing: projectGrant && standingOf(projectGrant, now),
    },
    ownerId === undefined
      ? { kind: "owner", title: "", state: undefined }
      : await linkOfOrganization(clients, "owner", ownerId),
  ];
}

async function linkOfOrganization(
  { organizations }: Clients,
  kind: GrantLink["kind"],
  id: string,
): Promise<GrantLink> {
  const organization: Organization | undefined = await seen(
    async () => (await organizations.getOrganization({ id })).organization,
  );
  if (organization === undefined) return { kind, title: id, state: undefined };
  const { name, state } = organization;
  return { kind, title: name, to: toPath("/orgs/:organization", { organization: id }), state };
}

/** What may not be read is absent. */
async function seen<T>(load: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await load();
  } catch {
    return undefined;
  }
}
