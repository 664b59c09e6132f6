import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import {
  AddProjectRequestSchema,
  ProjectService,
} from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { SettingsFields } from "./settings.tsx";
import { fromProjectSettings, toProjectSettings } from "./settings-values.ts";
import { projectTexts } from "./texts.ts";

/** Adds a project to the organization, and goes to it. */
export function AddProjectPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(projectTexts);
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(ProjectService);
  const list = toPath("/orgs/:organization/projects", params);
  const form = useForm({
    request: AddProjectRequestSchema,
    initial: toProjectSettings(),
    async submit(values, key) {
      const { id } = await client.addProject(fromProjectSettings(values), withKey(key));
      notify(texts.added(values.name));
      go(toPath("/orgs/:organization/projects/:project", { ...params, project: id }), { replaces: true });
    },
  });
  return (
    <PageFrame title={texts.add} parent={{ to: list, title: texts.title }}>
      <FormView form={form} submitText={texts.add} onCancel={() => go(list)}>
        <SettingsFields form={form} hasFocus />
      </FormView>
    </PageFrame>
  );
}
