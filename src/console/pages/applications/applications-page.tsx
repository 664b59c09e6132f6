import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { toEnum } from "../../api/enums.ts";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import { type Application, ApplicationState } from "../../../../gen/console/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { useBatchRemoval } from "../../ui/batch-removal.ts";
import { Button } from "../../ui/button.tsx";
import { type BulkAction, List } from "../../ui/list/list.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { StateMark, toObjectState } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { kindOf, type ProjectParams, toApplication, toApplications } from "./shared/application.ts";
import { applicationTexts } from "./shared/texts.ts";

/** Lists the applications of a project. */
export function ApplicationsPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  const texts = useTexts(applicationTexts);
  const { go } = useNavigation();
  const can = useCan();
  const mayWrite = can("project.app.write", { project: params.project });
  const add = mayWrite && (
    <Button look="first" onClick={() => go(`${toApplications(params)}/new`)}>
      {texts.add}
    </Button>
  );
  return (
    <ProjectFrame params={params} actions={() => add}>
      {() => <ApplicationList params={params} mayWrite={mayWrite} add={add} />}
    </ProjectFrame>
  );
}

interface ListProps {
  readonly params: ProjectParams;
  readonly mayWrite: boolean;
  readonly add: JSX.Element | false;
}

function ApplicationList({ params, mayWrite, add }: ListProps): JSX.Element {
  const texts = useTexts(applicationTexts);
  const shared = useTexts(uiTexts);
  const { number } = useFormats();
  const client = useClient(ApplicationService);
  const [removal, setRemoval] = useState<Removal>();
  const projectId = params.project;
  const removeAll = useBatchRemoval<Application>(({ id }) => ({
    case: "removeApplication",
    value: { projectId, appId: id },
  }));
  const removeSelected: BulkAction<Application> = {
    label: shared.remove,
    isDanger: true,
    run: (applications, done) => setRemoval({ applications, done }),
  };
  const states = [
    { value: String(ApplicationState.ACTIVE), label: shared.active },
    { value: String(ApplicationState.INACTIVE), label: shared.inactive },
  ];
  return (
    <>
      <List<Application>
        name={texts.title}
        inputs={[projectId]}
        load={async ({ filters, ...page }) => {
          const { search = "", state } = filters;
          const answer = await client.listApplications({
            ...page,
            projectId,
            search,
            state: toEnum(ApplicationState, state),
          });
          return { ...answer, rows: answer.applications };
        }}
        columns={[
          { title: texts.name, text: ({ name }) => name },
          { title: texts.kind, text: (application) => texts.kinds[kindOf(application)] },
          { title: shared.id, text: ({ id }) => id, isMinor: true },
          {
            title: texts.state,
            text: ({ state }) => shared[toObjectState(state)],
            render: ({ state }) => <StateMark state={state} />,
          },
        ]}
        filters={[
          { name: "search", label: shared.nameOrId, isLive: true },
          { name: "state", label: texts.state, options: states },
        ]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toApplication(params, id)}
        bulk={mayWrite ? [removeSelected] : []}
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
      />
      {removal !== undefined && (
        <RemovalDialog
          items={removal.applications}
          several={texts.several(number(removal.applications.length))}
          remove={({ id }, options) => client.removeApplication({ projectId, appId: id }, options)}
          removeAll={removeAll}
          onClose={() => setRemoval(undefined)}
          onRemoved={() => {
            setRemoval(undefined);
            removal.done();
          }}
        />
      )}
    </>
  );
}

interface Removal {
  readonly applications: readonly Application[];
  readonly done: () => void;
}
