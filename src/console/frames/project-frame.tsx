import type { ComponentChildren, JSX } from "preact";
import { useClient } from "../api/api.ts";
import { useQuery } from "../api/use-query.ts";
import type { Project } from "../../../gen/console/gatehouse/v1/project_pb.ts";
import { ProjectService } from "../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { toPath } from "../routing/routes.ts";
import { useTexts } from "../texts/use-texts.ts";
import { PageFrame } from "../ui/page-frame.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { frameTexts } from "./texts.ts";

/** Props of the frame of a project's pages. */
export interface ProjectFrameProps {
  readonly params: { readonly organization: string; readonly project: string };
  /** Buttons for what can be done on this page; `reload` reads the project again. */
  readonly actions?: ((project: Project, reload: () => Promise<void>) => ComponentChildren) | undefined;
  readonly children: (project: Project, reload: () => Promise<void>) => ComponentChildren;
}

/** The frame of every page of one project: its name, its state, its tabs. It reads the project. */
export function ProjectFrame({ params, actions, children }: ProjectFrameProps): JSX.Element {
  const texts = useTexts(frameTexts);
  const { organization, project: id } = params;
  const client = useClient(ProjectService);
  const query = useQuery(async () => {
    const { project } = await client.getProject({ id });
    if (project === undefined) throw new Error("GetProject answered without a project");
    return project;
  }, [client, id]);
  return (
    <QueryView query={query}>
      {(project) => (
        <PageFrame
          title={project.name}
          mark={<StateMark state={project.state} />}
          parent={{ to: toPath("/orgs/:organization/projects", { organization }), title: texts.projects }}
          tabs={{ of: ["project"], params }}
          actions={actions?.(project, query.reload)}
        >
          {children(project, query.reload)}
        </PageFrame>
      )}
    </QueryView>
  );
}
