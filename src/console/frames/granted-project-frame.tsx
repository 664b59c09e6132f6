import type { ComponentChildren, JSX } from "preact";
import { useClient } from "../api/api.ts";
import { useQuery } from "../api/use-query.ts";
import type { ProjectGrant } from "../../../gen/console/gatehouse/v1/project_grant_pb.ts";
import { ProjectService } from "../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { toPath } from "../routing/routes.ts";
import { useTexts } from "../texts/use-texts.ts";
import { PageFrame } from "../ui/page-frame.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { frameTexts } from "./texts.ts";

/** Props of the frame of the pages of a project that another organization has granted to this one. */
export interface GrantedProjectFrameProps {
  readonly params: { readonly organization: string; readonly project: string; readonly grant: string };
  /** Buttons for what can be done on this page. */
  readonly actions?: ((grant: ProjectGrant) => ComponentChildren) | undefined;
  readonly children: (grant: ProjectGrant) => ComponentChildren;
}

/** The frame of every page of one granted project: the name, the state of the grant, the tabs. It reads the grant. */
export function GrantedProjectFrame({ params, actions, children }: GrantedProjectFrameProps): JSX.Element {
  const texts = useTexts(frameTexts);
  const { organization, project: projectId, grant: grantId } = params;
  const client = useClient(ProjectService);
  const query = useQuery(async () => {
    const { projectGrant } = await client.getProjectGrant({ projectId, grantId });
    if (projectGrant === undefined) throw new Error("GetProjectGrant answered without a project grant");
    return projectGrant;
  }, [client, projectId, grantId]);
  return (
    <QueryView query={query}>
      {(grant) => (
        <PageFrame
          title={grant.projectName}
          mark={<StateMark state={grant.state} />}
          parent={{
            to: toPath("/orgs/:organization/granted-projects", { organization }),
            title: texts.grantedProjects,
          }}
          tabs={{ of: ["granted-project"], params }}
          actions={actions?.(grant)}
        >
          {children(grant)}
        </PageFrame>
      )}
    </QueryView>
  );
}
