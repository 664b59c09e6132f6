import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import type { ProjectGrant } from "../../../../gen/console/gatehouse/v1/project_grant_pb.ts";
import { ProjectService } from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Code } from "../../ui/copy-button.tsx";
import { List } from "../../ui/list/list.tsx";
import { useNames } from "../../ui/names/use-names.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { usePeriodText } from "../../ui/period/period-facts.ts";
import { periodTexts } from "../../ui/period/texts.ts";
import { StateMark, toObjectState } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { projectGrantTexts } from "./texts.ts";

interface Row {
  readonly grant: ProjectGrant;
  /** The name of the organization that owns the project. */
  readonly owner: string;
}

/** Lists the projects that other organizations have granted to this one. */
export function GrantedProjectsPage({ params }: PageProps<"organization">): JSX.Element {
  const all = useTexts(projectGrantTexts);
  const texts = all.granted;
  const shared = useTexts(uiTexts);
  const client = useClient(ProjectService);
  const names = useNames();
  const periods = useTexts(periodTexts);
  const periodText = usePeriodText();
  return (
    <PageFrame title={texts.title} lead={texts.lead}>
      <List
        name={texts.title}
        load={async ({ filters: _none, ...page }) => {
          const answer = await client.listGrantedProjects(page);
          const rows = answer.grantedProjects.map(async (grant): Promise<Row> => {
            const { title } = await names.organization(grant.details?.resourceOwner ?? "");
            return { grant, owner: title };
          });
          return { ...answer, rows: await Promise.all(rows) };
        }}
        inputs={[client]}
        columns={[
          { title: texts.project, text: ({ grant }) => grant.projectName },
          { title: texts.owner, text: ({ owner }) => owner, isMinor: true },
          { title: all.roles, text: ({ grant }) => grant.roleKeys.join(", ") },
          {
            title: all.state,
            text: ({ grant }) => shared[toObjectState(grant.state)],
            render: ({ grant }) => <StateMark state={grant.state} />,
          },
          { title: periods.end, text: ({ grant }) => periodText(grant), isMinor: true },
        ]}
        idOf={({ grant }) => grant.id}
        linkOf={({ grant }) =>
          toPath("/orgs/:organization/granted-projects/:project/:grant", {
            ...params,
            project: grant.projectId,
            grant: grant.id,
          })
        }
        empty={{
          title: texts.emptyTitle,
          text: texts.emptyText,
          action: <Code text={params.organization} label={texts.organizationId} />,
        }}
      />
    </PageFrame>
  );
}
