import { useClient } from "../../api/api.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { ProjectService } from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import type { Option } from "../../ui/form/choice-fields.tsx";

/** Reads the roles of a project of the organization, as options of a form: the first thousand, which is what a grant can hold. */
export function useProjectRoles(projectId: string): Query<readonly Option[]> {
  const client = useClient(ProjectService);
  return useQuery(async () => {
    const { projectRoles } = await client.listProjectRoles({ projectId, pageSize: 1000 });
    return projectRoles.map(({ key, displayName }) => ({
      value: key,
      label: displayName === "" ? key : displayName,
      hint: displayName === "" || displayName === key ? undefined : key,
    }));
  }, [client, projectId]);
}
