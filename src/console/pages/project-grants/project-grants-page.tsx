import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import type { ProjectGrant } from "../../../../gen/console/gatehouse/v1/project_grant_pb.ts";
import { ProjectService } from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { useBatchRemoval } from "../../ui/batch-removal.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import type { Column } from "../../ui/list/list-table.tsx";
import { useNames } from "../../ui/names/use-names.ts";
import { type Removable, RemovalDialog } from "../../ui/removal-dialog.tsx";
import { usePeriodText } from "../../ui/period/period-facts.ts";
import { periodTexts } from "../../ui/period/texts.ts";
import { StateMark, toObjectState } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { projectGrantTexts } from "./texts.ts";

interface Row {
  readonly grant: ProjectGrant;
  /** The name of the organization that the grant is made to. */
  readonly name: string;
}

/** Lists the grants of a project to other organizations. */
export function ProjectGrantsPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  const texts = useTexts(projectGrantTexts);
  const shared = useTexts(uiTexts);
  const { number } = useFormats();
  const { go } = useNavigation();
  const { project: projectId } = params;
  const client = useClient(ProjectService);
  const names = useNames();
  const mayWrite = useCan()("project.grant.write", { project: projectId });
  const removeAll = useBatchRemoval<Removable>(({ id }) => ({
    case: "removeProjectGrant",
    value: { projectId, grantId: id },
  }));
  const [removal, setRemoval] = useState<{ readonly rows: readonly Row[]; done(): void }>();
  const add = mayWrite && (
    <Button
      look="first"
      onClick={() => go(toPath("/orgs/:organization/projects/:project/grants/new", params))}
    >
      {texts.add}
    </Button>
  );
  return (
    <ProjectFrame params={params} actions={() => add}>
      {() => (
        <>
          <p class="hint list-head">{texts.lead}</p>
          <List
            name={texts.title}
            load={async ({ filters: _none, ...page }) => {
              const answer = await client.listProjectGrants({ projectId, ...page });
              const rows = answer.projectGrants.map(async (grant): Promise<Row> => {
                const { title } = await names.organization(grant.grantedOrganizationId);
                return { grant, name: title };
              });
              return { ...answer, rows: await Promise.all(rows) };
            }}
            inputs={[client, projectId]}
            columns={useColumns()}
            idOf={({ grant }) => grant.id}
            linkOf={({ grant }) =>
              toPath("/orgs/:organization/projects/:project/grants/:grant", { ...params, grant: grant.id })
            }
            bulk={
              mayWrite
                ? [{ label: shared.remove, isDanger: true, run: (rows, done) => setRemoval({ rows, done }) }]
                : []
            }
            empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
          />
          {removal !== undefined && (
            <RemovalDialog
              items={removal.rows.map(({ grant: { id, details }, name }) => ({
                id,
                details,
                name: texts.nameOf(name),
              }))}
              several={texts.several(number(removal.rows.length))}
              remove={({ id }, options) => client.removeProjectGrant({ projectId, grantId: id }, options)}
              removeAll={removeAll}
              onClose={() => setRemoval(undefined)}
              onRemoved={() => {
                setRemoval(undefined);
                removal.done();
              }}
            />
          )}
        </>
      )}
    </ProjectFrame>
  );
}

function useColumns(): readonly Column<Row>[] {
  const texts = useTexts(projectGrantTexts);
  const shared = useTexts(uiTexts);
  const { date } = useFormats();
  const periods = useTexts(periodTexts);
  const periodText = usePeriodText();
  return [
    { title: texts.organization, text: ({ name }) => name },
    { title: texts.roles, text: ({ grant }) => grant.roleKeys.join(", ") },
    {
      title: texts.state,
      text: ({ grant }) => shared[toObjectState(grant.state)],
      render: ({ grant }) => <StateMark state={grant.state} />,
    },
    { title: periods.end, text: ({ grant }) => periodText(grant), isMinor: true },
    { title: texts.changed, text: ({ grant }) => date(grant.details?.changeDate), isMinor: true },
  ];
}
