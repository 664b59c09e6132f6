import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { toEnum } from "../../api/enums.ts";
import { type Project, ProjectState } from "../../../../gen/console/gatehouse/v1/project_pb.ts";
import { ProjectService } from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { useBatchRemoval } from "../../ui/batch-removal.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { projectTexts } from "./texts.ts";

/** Lists the projects of the organization. */
export function ProjectsPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(projectTexts);
  const shared = useTexts(uiTexts);
  const { date, number } = useFormats();
  const can = useCan();
  const { go } = useNavigation();
  const client = useClient(ProjectService);
  const removeAll = useBatchRemoval<Project>(({ id }) => ({ case: "removeProject", value: { id } }));
  const [removal, setRemoval] = useState<{ readonly projects: readonly Project[]; done(): void }>();
  const add = can("project.create") && (
    <Button look="first" onClick={() => go(toPath("/orgs/:organization/projects/new", params))}>
      {texts.add}
    </Button>
  );
  return (
    <PageFrame title={texts.title} lead={texts.lead} actions={add}>
      <List
        name={texts.title}
        load={async ({ filters, ...page }) => {
          const state = toEnum(ProjectState, filters["state"]);
          const answer = await client.listProjects({ ...page, search: filters["search"] ?? "", state });
          return { ...answer, rows: answer.projects };
        }}
        inputs={[client]}
        columns={[
          { title: texts.name, text: ({ name }) => name },
          { title: shared.id, text: ({ id }) => id, isMinor: true },
          { title: texts.changed, text: ({ details }) => date(details?.changeDate), isMinor: true },
          {
            title: texts.state,
            text: ({ state }) => (state === ProjectState.ACTIVE ? shared.active : shared.inactive),
            render: ({ state }) => <StateMark state={state} />,
          },
        ]}
        filters={[
          { name: "search", label: shared.nameOrId, isLive: true },
          {
            name: "state",
            label: texts.state,
            options: [
              { value: String(ProjectState.ACTIVE), label: shared.active },
              { value: String(ProjectState.INACTIVE), label: shared.inactive },
            ],
          },
        ]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toPath("/orgs/:organization/projects/:project", { ...params, project: id })}
        bulk={[
          {
            label: shared.remove,
            isDanger: true,
            fits: ({ id }) => can("project.write", { project: id }),
            run: (projects, done) => setRemoval({ projects, done }),
          },
        ]}
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
      />
      {removal !== undefined && (
        <RemovalDialog
          items={removal.projects}
          several={texts.several(number(removal.projects.length))}
          remove={({ id }, options) => client.removeProject({ id }, options)}
          removeAll={removeAll}
          onClose={() => setRemoval(undefined)}
          onRemoved={() => {
            setRemoval(undefined);
            removal.done();
          }}
        />
      )}
    </PageFrame>
  );
}
