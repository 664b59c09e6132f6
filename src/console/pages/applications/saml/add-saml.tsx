import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { withKey } from "../../../api/call-options.ts";
import {
  ApplicationService,
  CreateSamlApplicationRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useNavigation } from "../../../routing/navigation.tsx";
import { useTexts } from "../../../texts/use-texts.ts";
import { TextField } from "../../../ui/form/fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { type ProjectParams, toApplication, toApplications } from "../shared/application.ts";
import { applicationTexts } from "../shared/texts.ts";
import { beginSource, findMissingSource, type SourceValues, toSourceRequest } from "./metadata-source.ts";
import { OurSide } from "./our-side.tsx";
import { SourceFields } from "./source-fields.tsx";

/** Adds a SAML application from its metadata, and goes to it. */
export function AddSaml({ params }: { readonly params: ProjectParams }): JSX.Element {
  const texts = useTexts(applicationTexts);
  const { required } = useTexts(uiTexts).form;
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const form = useForm<SourceValues & { readonly name: string }>({
    request: CreateSamlApplicationRequestSchema,
    initial: { name: "", ...beginSource("") },
    check(values): Record<string, string> {
      const missing = findMissingSource(values);
      return missing === undefined ? {} : { [missing]: required };
    },
    async submit({ name, ...source }, key) {
      const request = { projectId: params.project, name, ...toSourceRequest(source) };
      const { appId } = await client.createSamlApplication(request, withKey(key));
      notify(texts.added(name));
      go(toApplication(params, appId), { replaces: true });
    },
  });
  return (
    <>
      <FormView form={form} submitText={texts.add} onCancel={() => go(toApplications(params))}>
        <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus />
        <SourceFields form={form} />
      </FormView>
      <OurSide />
    </>
  );
}
