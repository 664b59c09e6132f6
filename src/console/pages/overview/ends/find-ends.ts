import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import type { HeldPermissions } from "../../../api/permissions.ts";
import { GroupService } from "../../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import { MembershipService } from "../../../../../gen/console/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../../../gen/console/gatehouse/v1/user_grant_service_pb.ts";
import { toPath } from "../../../routing/routes.ts";
import type { Names } from "../../../ui/names/use-names.ts";

/** A right that ends soon. */
export interface SoonEnding {
  readonly id: string;
  readonly kind: "userGrant" | "groupGrant" | "projectGrant" | "membership";
  /** The name of the user or the group, or of the project that is granted. */
  readonly title: string;
  /** The project of a grant to a user or a group, or the roles of a membership. */
  readonly what: string;
  readonly endDate: Timestamp;
  /** The page of the right. */
  readonly to: string;
}

/** So many of each kind are read. */
const enough = 10;
const soonMs = 30 * 24 * 3_600_000;

/**
 * Finds the rights that end within 30 days, the earliest first, as far as the user may read them: memberships, and those that an
 * organization has given or was given. `isCut`: there are more.
 */
export async function findEnds(
  transport: (organizationId: string | undefined) => Transport,
  {
    organizationId,
    permissions,
    names,
  }: {
    readonly organizationId: string | undefined;
    readonly permissions: HeldPermissions;
    readonly names: Names;
  },
): Promise<{ readonly found: readonly SoonEnding[]; readonly isCut: boolean }> {
  const page = { pageSize: enough, expiresBefore: timestampFromMs(new Date().getTime() + soonMs) };
  const within = { organization: organizationId };
  const readers = [
    ...(mayReadMemberships(permissions, organizationId)
      ? [() => readMemberships(transport(organizationId), page, { organizationId, names })]
      : []),
    ...(organizationId !== undefined && permissions.can("user.grant.read", within)
      ? [
          () => readUserGrants(transport(organizationId), page, { organizationId, names }),
          () => readGroupGrants(transport(organizationId), page, { organizationId, names }),
        ]
      : []),
    ...(organizationId !== undefined && permissions.can("project.grant.read", within)
      ? [() => readProjectGrants(transport(organizationId), page, organizationId)]
      : []),
  ];
  const parts = await Promise.all(readers.map((read) => read()));
  const all = parts.flatMap(({ rights }) => rights);
  const found = all.toSorted((left, right) => timestampMs(left.endDate) - timestampMs(right.endDate));
  return {
    found: found.slice(0, enough),
    isCut: found.length > enough || parts.some(({ hasMore }) => hasMore),
  };
}

/** Says whether memberships may be read on the organization; without one, on any. */
function mayReadMemberships(permissions: HeldPermissions, organizationId: string | undefined): boolean {
  return (
    permissions.can("membership.read", { organization: organizationId }) ||
    (organizationId === undefined &&
      permissions.organizations.some((organization) => permissions.can("membership.read", { organization })))
  );
}

interface Page {
  readonly pageSize: number;
  readonly expiresBefore: Timestamp;
}

interface Part {
  readonly rights: readonly SoonEnding[];
  readonly hasMore: boolean;
}

async function readUserGrants(
  transport: Transport,
  page: Page,
  { organizationId, names }: { readonly organizationId: string; readonly names: Names },
): Promise<Part> {
  const { userGrants, nextPageToken } = await createClient(UserGrantService, transport).listUserGrants(page);
  const rights = userGrants.map(async ({ id, userId, endDate, ...grant }) => {
    const project = await nameProject(grant, organizationId, names);
    const ids = { organization: organizationId, user: userId, grant: id };
    const to = toPath("/orgs/:organization/user-grants/:user/:grant", ids);
    return toRight(
      { id, kind: "userGrant", title: (await names.user(userId)).title, what: project, to },
      endDate,
    );
  });
  return { rights: (await Promise.all(rights)).flat(), hasMore: nextPageToken !== "" };
}

async function readGroupGrants(
  transport: Transport,
  page: Page,
  { organizationId, names }: { readonly organizationId: string; readonly names: Names },
): Promise<Part> {
  const { groupGrants, nextPageToken } = await createClient(GroupService, transport).listGroupGrants(page);
  const rights = groupGrants.map(async ({ id, groupId, endDate, ...grant }) => {
    const what = await nameProject(grant, organizationId, names);
    const to = toPath("/orgs/:organization/groups/:group/grants", {
      organization: organizationId,
      group: groupId,
    });
    return toRight({ id, kind: "groupGrant", title: (await names.group(groupId)).title, what, to }, endDate);
  });
  return { rights: (await Promise.all(rights)).flat(), hasMore: nextPageToken !== "" };
}

/** Names the project of a grant, also one that another organization has granted. */
async function nameProject(
  { projectId, projectGrantId }: { readonly projectId: string; readonly projectGrantId: string },
  organizationId: string,
  names: Names,
): Promise<string> {
  const granted = projectGrantId === "" ? [] : await names.grantedProjects(organizationId);
  const found = granted.find((grant) => grant.id === projectGrantId);
  return found?.projectName ?? (await names.project(projectId, organizationId)).title;
}

async function readProjectGrants(transport: Transport, page: Page, organizationId: string): Promise<Part> {
  const client = createClient(ProjectService, transport);
  const { grantedProjects, nextPageToken } = await client.listGrantedProjects(page);
  const rights = grantedProjects.flatMap(({ id, projectId, projectName, endDate }) => {
    const ids = { organization: organizationId, project: projectId, grant: id };
    const to = toPath("/orgs/:organization/granted-projects/:project/:grant", ids);
    return toRight({ id, kind: "projectGrant", title: projectName, what: "", to }, endDate);
  });
  return { rights, hasMore: nextPageToken !== "" };
}

/** Those on an organization itself; without an organization, all that the user may read. */
async function readMemberships(
  transport: Transport,
  page: Page,
  { organizationId, names }: { readonly organizationId: string | undefined; readonly names: Names },
): Promise<Part> {
  const client = createClient(MembershipService, transport);
  const { memberships, nextPageToken } = await client.listMemberships({
    ...page,
    ...(organizationId === undefined ? {} : { organizationId }),
  });
  const rights = memberships.map(async ({ id, userId, groupId, roles, scope, details, endDate }) => {
    const to =
      scope.case === "instance"
        ? "/memberships"
        : toPath("/orgs/:organization/memberships", { organization: details?.resourceOwner ?? "" });
    const { title } = groupId === "" ? await names.user(userId) : await names.group(groupId);
    return toRight({ id, kind: "membership", title, what: roles.join(", "), to }, endDate);
  });
  return { rights: (await Promise.all(rights)).flat(), hasMore: nextPageToken !== "" };
}

function toRight(right: Omit<SoonEnding, "endDate">, endDate: Timestamp | undefined): readonly SoonEnding[] {
  return endDate === undefined ? [] : [{ ...right, endDate }];
}
