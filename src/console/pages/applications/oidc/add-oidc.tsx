import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged, withKey } from "../../../api/call-options.ts";
import {
  ApplicationService,
  type CreateOidcApplicationResponse,
  CreateOidcApplicationRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useNavigation } from "../../../routing/navigation.tsx";
import { useTexts } from "../../../texts/use-texts.ts";
import { TextField } from "../../../ui/form/fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import {
  appTypeOf,
  type OidcKind,
  type ProjectParams,
  toApplication,
  toApplications,
} from "../shared/application.ts";
import { NewSecret } from "../shared/new-secret.tsx";
import { applicationTexts } from "../shared/texts.ts";
import { GrantFields, MethodField, RedirectFields } from "./oidc-fields.tsx";
import { oidcTexts } from "./oidc-texts.ts";
import { beginOidc, hasSecret, lacksRedirectUri, needsDevMode, toOidcRequest } from "./oidc-values.ts";

/** Props of the form for a new OIDC application. */
export interface AddOidcProps {
  readonly kind: OidcKind;
  readonly params: ProjectParams;
}

/** Adds an OIDC application with what it needs first; its page has the rest. */
export function AddOidc({ kind, params }: AddOidcProps): JSX.Element {
  const texts = useTexts(applicationTexts);
  const { required } = useTexts(uiTexts).form;
  const { go } = useNavigation();
  const { needsDevMode: needed } = useTexts(oidcTexts);
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const [added, setAdded] = useState<CreateOidcApplicationResponse>();
  const projectId = params.project;
  const goTo = (appId: string): void => go(toApplication(params, appId), { replaces: true });
  const form = useForm({
    request: CreateOidcApplicationRequestSchema,
    initial: { name: "", ...beginOidc(appTypeOf(kind)) },
    check: (values): Record<string, string> => {
      if (lacksRedirectUri(values)) return { redirectUris: required };
      return needsDevMode(values) ? { redirectUris: needed } : {};
    },
    async submit({ name, ...values }, key) {
      const request = { projectId, name, ...toOidcRequest(values) };
      const answer = await client.createOidcApplication(request, withKey(key));
      notify(texts.added(name));
      if (hasSecret(request.authMethodType)) setAdded(answer);
      else goTo(answer.appId);
    },
  });
  return (
    <>
      <FormView form={form} submitText={texts.add} onCancel={() => go(toApplications(params))}>
        <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus />
        <RedirectFields form={form} />
        {kind === "web" && <MethodField form={form} />}
        <GrantFields form={form} />
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
