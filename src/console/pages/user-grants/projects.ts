import type { Client } from "@connectrpc/connect";
import { useClient } from "../../api/api.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { ProjectService } from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import type { Option } from "../../ui/form/choice-fields.tsx";

/** A project whose roles the organization can give to users. */
export interface GivableProject {
  readonly id: string;
  readonly name: string;
  /** Set if another organization has granted it. */
  readonly grant: { readonly id: string; readonly roleKeys: readonly string[] } | undefined;
}

/** Reads the projects of the organization and those granted to it: the first thousand of each. */
export function useGivableProjects(): Query<readonly GivableProject[]> {
  const client = useClient(ProjectService);
  return useQuery(() => readProjects(client), [client]);
}

/** What may not be read is left out: a user may hold a role on a single project or project grant. */
async function readProjects(client: Client<typeof ProjectService>): Promise<readonly GivableProject[]> {
  const [owned, granted] = await Promise.allSettled([
    client.listProjects({ pageSize: 1000 }),
    client.listGrantedProjects({ pageSize: 1000 }),
  ]);
  if (owned.status === "rejected" && granted.status === "rejected") throw owned.reason;
  const own = owned.status === "fulfilled" ? owned.value.projects : [];
  const others = granted.status === "fulfilled" ? granted.value.grantedProjects : [];
  return [
    ...own.map(({ id, name }) => ({ id, name, grant: undefined })),
    ...others.map(({ id, projectId, projectName, roleKeys }) => ({
      id: projectId,
      name: projectName,
      grant: { id, roleKeys },
    })),
  ];
}

/** Reads the roles of a project that the organization can give, as options of a form. Without a project there are none. */
export function useGivableRoles(project: GivableProject | undefined): Query<readonly Option[]> {
  const client = useClient(ProjectService);
  return useQuery(async () => {
    if (project === undefined) return [];
    // The names of roles are for the owner of the project.
    if (project.grant !== undefined)
      return project.grant.roleKeys.map((key): Option => ({ value: key, label: key }));
    const { projectRoles } = await client.listProjectRoles({ projectId: project.id, pageSize: 1000 });
    return projectRoles.map(
      ({ key, displayName }): Option => ({
        value: key,
        label: displayName === "" ? key : displayName,
        hint: displayName === "" || displayName === key ? undefined : key,
      }),
    );
  }, [client, project?.id, project?.grant?.id]);
}
