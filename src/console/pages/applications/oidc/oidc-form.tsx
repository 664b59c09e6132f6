import type { JSX } from "preact";
import { useApi, useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import { toEnum } from "../../../api/enums.ts";
import type { Application } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { OidcAuthMethodType } from "../../../../../gen/console/gatehouse/v1/oidc_pb.ts";
import {
  ApplicationService,
  UpdateOidcConfigRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ChoiceField } from "../../../ui/form/choice-fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { applicationTexts } from "../shared/texts.ts";
import type { OidcViewProps } from "../shared/view-props.ts";
import {
  GrantFields,
  MethodField,
  OtherFields,
  ProtectionFields,
  RedirectFields,
  TokenFields,
} from "./oidc-fields.tsx";
import { oidcTexts, toOptions } from "./oidc-texts.ts";
import {
  findFapiFaults,
  hasSecret,
  isFapi,
  lacksRedirectUri,
  needsDevMode,
  type OidcValues,
  toOidcRequest,
  toOidcValues,
} from "./oidc-values.ts";

/** Changes the settings of an OIDC application. They are replaced as a whole. */
export function OidcForm({ params, application, oidc, onChange, readStored }: OidcViewProps): JSX.Element {
  const shared = useTexts(applicationTexts);
  const texts = useTexts(oidcTexts);
  const { required } = useTexts(uiTexts).form;
  const { permissions } = useApi();
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const form = useForm({
    request: UpdateOidcConfigRequestSchema,
    initial: toOidcValues(oidc),
    version: application.details,
    check: (values): Record<string, string> => {
      if (lacksRedirectUri(values)) return { redirectUris: required };
      if (needsDevMode(values) && !isFapi(values)) return { redirectUris: texts.needsDevMode };
      return Object.fromEntries(findFapiFaults(values).map((name) => [name, texts.notWithFapi]));
    },
    async submit(values, _key, version) {
      const request = { projectId: params.project, appId: application.id, ...toOidcRequest(values) };
      await client.updateOidcConfig(request, ifUnchanged(version));
      notify(shared.saved);
      await onChange();
    },
    async readStored() {
      const stored = await readStored();
      return { values: valuesOf(stored, oidc), version: stored.details };
    },
  });
  const secretEnds =
    hasSecret(oidc.authMethodType) && !hasSecret(toEnum(OidcAuthMethodType, form.values.authMethodType));
  return (
    <FormView form={form} isChange>
      <h2>{texts.login}</h2>
      <RedirectFields form={form} />
      <ChoiceField
        form={form}
        name="appType"
        label={texts.appType}
        options={toOptions(["1", "2", "3"], texts.appTypes, texts.appTypeHints)}
      />
      <h2>{texts.authentication}</h2>
      <MethodField form={form} />
      {secretEnds && <p role="status">{texts.secretEnds}</p>}
      <ProtectionFields form={form} />
      <GrantFields form={form} />
      <h2>{texts.tokens}</h2>
      <TokenFields form={form} />
      <h2>{texts.signOut}</h2>
      <OtherFields form={form} mayGrantApi={permissions.can("project.app.write", {})} />
    </FormView>
  );
}

/** The kind of an application never changes. */
function valuesOf({ config }: Application, otherwise: OidcViewProps["oidc"]): OidcValues {
  return toOidcValues(config.case === "oidc" ? config.value : otherwise);
}
