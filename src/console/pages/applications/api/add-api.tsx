import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi, useClient } from "../../../api/api.ts";
import { ifUnchanged, withKey } from "../../../api/call-options.ts";
import { ApiAuthMethodType } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import {
  ApplicationService,
  type CreateApiApplicationResponse,
  CreateApiApplicationRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useNavigation } from "../../../routing/navigation.tsx";
import { useTexts } from "../../../texts/use-texts.ts";
import { TextField } from "../../../ui/form/fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { type ProjectParams, toApplication, toApplications } from "../shared/application.ts";
import { NewSecret } from "../shared/new-secret.tsx";
import { applicationTexts } from "../shared/texts.ts";
import { ApiFields, useScopeCheck } from "./api-fields.tsx";
import { type ApiValues, newApi, toApiRequest } from "./api-values.ts";

/** Adds an application for an API. */
export function AddApi({ params }: { readonly params: ProjectParams }): JSX.Element {
  const texts = useTexts(applicationTexts);
  const { permissions } = useApi();
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const [added, setAdded] = useState<CreateApiApplicationResponse>();
  const projectId = params.project;
  const goTo = (appId: string): void => go(toApplication(params, appId), { replaces: true });
  const form = useForm<ApiValues>({
    request: CreateApiApplicationRequestSchema,
    initial: newApi,
    check: useScopeCheck(),
    async submit(values, key) {
      const request = { projectId, name: values.name, ...toApiRequest(values) };
      const answer = await client.createApiApplication(request, withKey(key));
      notify(texts.added(values.name));
      if (request.authMethodType === ApiAuthMethodType.BASIC) setAdded(answer);
      else goTo(answer.appId);
    },
  });
  return (
    <>
      <FormView form={form} submitText={texts.add} onCancel={() => go(toApplications(params))}>
        <TextField form={form} name="name" label={texts.name} hint={texts.apiNameHint} hasFocus />
        <ApiFields form={form} mayVerify={permissions.can("project.app.write", {})} />
      </FormView>
      {added !== undefined && (
        <NewSecret
          clientId={added.clientId}
          secret={added.clientSecret}
          renew={async () => {
            const options = ifUnchanged(added.details);
            return (await client.generateClientSecret({ projectId, appId: added.appId }, options))
              .clientSecret;
          }}
          onClose={() => goTo(added.appId)}
        />
      )}
    </>
  );
}
