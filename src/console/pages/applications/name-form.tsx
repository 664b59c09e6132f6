import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import {
  ApplicationService,
  UpdateApplicationRequestSchema,
} from "../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { applicationTexts } from "./shared/texts.ts";
import type { ApplicationViewProps } from "./shared/view-props.ts";

/** Renames an application. */
export function NameForm({ params, application, onChange, readStored }: ApplicationViewProps): JSX.Element {
  const texts = useTexts(applicationTexts);
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const form = useForm({
    request: UpdateApplicationRequestSchema,
    initial: { name: application.name },
    version: application.details,
    async submit({ name }, _key, version) {
      const request = { projectId: params.project, appId: application.id, name };
      await client.updateApplication(request, ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const { name, details } = await readStored();
      return { values: { name }, version: details };
    },
  });
  return (
    <FormView form={form} isChange>
      <TextField
        form={form}
        name="name"
        label={texts.name}
        hint={application.config.case === "api" ? texts.apiNameHint : texts.nameHint}
      />
    </FormView>
  );
}
