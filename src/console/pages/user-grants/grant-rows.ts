import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { useClient } from "../../api/api.ts";
import type { UserGrant } from "../../../../gen/console/gatehouse/v1/user_grant_pb.ts";
import { UserGrantService } from "../../../../gen/console/gatehouse/v1/user_grant_service_pb.ts";
import type { LoadPage } from "../../ui/list/list-source.ts";
import type { NamedObject } from "../../ui/names/named-object.ts";
import { type Names, useNames } from "../../ui/names/use-names.ts";

/** A user grant with the names of what it is about. */
export interface GrantRow {
  readonly grant: UserGrant;
  readonly user: NamedObject;
  /** The name of the project. */
  readonly project: string;
}

/** Which user grants of the organization are listed; filters narrow them down. */
export interface GrantSelection {
  readonly organizationId: string;
  readonly user?: NamedObject | undefined;
  readonly projectId?: string | undefined;
  /** The moment of the past that is shown, of one user. Absent: the present. */
  readonly asOf?: Timestamp | undefined;
}

/** Makes the field of a request that asks about a moment of the past. */
export function toAsOf(asOf: Timestamp | undefined) {
  return asOf === undefined ? {} : { asOf: { case: "asOfDate", value: asOf } as const };
}

/** Returns a function that loads a page of user grants, with names. Of the filters it knows `search`, `user`, `project` and `role`. */
export function useLoadGrants({ organizationId, user, projectId, asOf }: GrantSelection): LoadPage<GrantRow> {
  const grants = useClient(UserGrantService);
  const names = useNames();
  return async ({ filters, ...page }) => {
    const { search = "", user: typed = "", project = "", role = "" } = filters;
    const chosen = user ?? (typed === "" ? undefined : await names.typedUser(typed));
    // A user who is not found may hold grants; the API finds those by the id.
    const userId = chosen?.id ?? typed;
    const answer = await grants.listUserGrants({
      ...page,
      search,
      userId,
      projectId: projectId ?? project,
      roleKey: role,
      ...toAsOf(asOf),
    });
    const rows = answer.userGrants.map(
      async (grant): Promise<GrantRow> => ({
        grant,
        user: user ?? (await names.user(grant.userId)),
        project: await nameProject(names, grant.projectId, organizationId),
      }),
    );
    return { ...answer, rows: await Promise.all(rows) };
  };
}

/** Names a project that an organization owns, or that was granted to it; the id, where it may not be read. */
export async function nameProject(names: Names, projectId: string, organizationId: string): Promise<string> {
  const granted = await names.grantedProjects(organizationId);
  const grant = granted.find((each) => each.projectId === projectId);
  return grant?.projectName ?? (await names.project(projectId, organizationId)).title;
}
