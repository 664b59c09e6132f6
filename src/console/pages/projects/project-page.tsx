import type { JSX } from "preact";
import { useCan, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import { type Project, ProjectState } from "../../../../gen/console/gatehouse/v1/project_pb.ts";
import {
  ProjectService,
  UpdateProjectRequestSchema,
} from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ObjectFacts } from "../../ui/facts.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { StateActions } from "../../ui/state-actions.tsx";
import { ProjectFacts, SettingsFields } from "./settings.tsx";
import { fromProjectSettings, toProjectSettings } from "./settings-values.ts";
import { projectTexts } from "./texts.ts";

type Params = PageProps<"organization" | "project">["params"];

/** Shows the settings of a project, its state, and its removal. */
export function ProjectPage({ params }: { readonly params: Params }): JSX.Element {
  const mayWrite = useCan()("project.write", { project: params.project });
  return (
    <ProjectFrame
      params={params}
      actions={
        mayWrite
          ? (project, reload) => <Actions params={params} project={project} onChange={reload} />
          : undefined
      }
    >
      {(project, reload) => (
        <>
          {mayWrite ? (
            <SettingsForm project={project} onChange={reload} />
          ) : (
            <ProjectFacts project={project} />
          )}
          <ObjectFacts id={project.id} details={project.details} />
        </>
      )}
    </ProjectFrame>
  );
}

interface ViewProps {
  readonly project: Project;
  readonly onChange: () => Promise<void>;
}

function SettingsForm({ project, onChange }: ViewProps): JSX.Element {
  const texts = useTexts(projectTexts);
  const notify = useNotify();
  const client = useClient(ProjectService);
  const form = useForm({
    request: UpdateProjectRequestSchema,
    initial: toProjectSettings(project),
    version: project.details,
    async submit(values, _key, version) {
      await client.updateProject({ id: project.id, ...fromProjectSettings(values) }, ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const { project: stored } = await client.getProject({ id: project.id });
      await onChange();
      return { values: toProjectSettings(stored), version: stored?.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <SettingsFields form={form} />
    </FormView>
  );
}

function Actions({ params, project, onChange }: ViewProps & { readonly params: Params }): JSX.Element {
  const { go } = useNavigation();
  const client = useClient(ProjectService);
  const { id, name, details, state } = project;
  return (
    <StateActions
      item={{ id, name, details }}
      isActive={state === ProjectState.ACTIVE}
      texts={useTexts(projectTexts)}
      deactivate={(options) => client.deactivateProject({ id }, options)}
      reactivate={(options) => client.reactivateProject({ id }, options)}
      remove={(options) => client.removeProject({ id }, options)}
      onChange={onChange}
      onRemoved={() => go(toPath("/orgs/:organization/projects", params), { replaces: true })}
    />
  );
}
