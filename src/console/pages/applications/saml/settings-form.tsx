import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import {
  ApplicationService,
  UpdateSamlSettingsRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ChoiceField } from "../../../ui/form/choice-fields.tsx";
import { CheckField, TextField } from "../../../ui/form/fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { type Form, useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { applicationTexts } from "../shared/texts.ts";
import type { SamlViewProps } from "../shared/view-props.ts";
import { findAttributeFault, readAttribute } from "./attributes.ts";
import { AttributesField } from "./attributes-field.tsx";
import { samlTexts } from "./saml-texts.ts";
import { type SettingsValues, toSettingsRequest, toSettingsValues } from "./settings-values.ts";

/** Changes the settings of a SAML application. They are replaced as a whole. */
export function SettingsForm({
  params,
  application,
  saml,
  onChange,
  readStored,
}: SamlViewProps): JSX.Element {
  const texts = useTexts(samlTexts);
  const { saved } = useTexts(applicationTexts);
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const form = useForm<SettingsValues>({
    request: UpdateSamlSettingsRequestSchema,
    initial: toSettingsValues(saml),
    version: application.details,
    check({ attributes }): Record<string, string> {
      const fault = findAttributeFault(attributes.map(readAttribute));
      return fault === undefined ? {} : { attributes: texts.attribute[fault] };
    },
    async submit(values, _key, version) {
      const ids = { projectId: params.project, appId: application.id };
      await client.updateSamlSettings({ ...ids, ...toSettingsRequest(values) }, ifUnchanged(version));
      notify(saved);
      await onChange();
    },
    async readStored() {
      const { config, details } = await readStored();
      return { values: toSettingsValues(config.case === "saml" ? config.value : saml), version: details };
    },
  });
  return (
    <FormView form={form} isChange>
      <h2>{texts.settings}</h2>
      <IdentityFields form={form} />
      <SecurityFields form={form} />
      <CheckField
        form={form}
        name="allowIdpInitiated"
        label={texts.allowIdpInitiated}
        hint={texts.allowIdpInitiatedHint}
      />
      {form.values.allowIdpInitiated && (
        <TextField
          form={form}
          name="defaultRelayState"
          label={texts.defaultRelayState}
          hint={texts.defaultRelayStateHint}
        />
      )}
      <CheckField form={form} name="logoutDisabled" label={texts.logoutDisabled} />
    </FormView>
  );
}

function IdentityFields({ form }: { readonly form: Form<SettingsValues> }): JSX.Element {
  const texts = useTexts(samlTexts);
  const { nameIdFormats, nameIdHints } = texts;
  return (
    <>
      <ChoiceField
        form={form}
        name="nameIdFormat"
        label={texts.nameIdFormat}
        options={(["0", "1", "2", "3", "4"] as const).map((value) => ({
          value,
          label: nameIdFormats[value],
          hint: nameIdHints[value],
        }))}
      />
      <AttributesField form={form} label={texts.attributes} hint={texts.attributesHint} />
      {form.values.attributes.length === 0 && (
        <CheckField
          form={form}
          name="onlyRequestedAttributes"
          label={texts.onlyRequestedAttributes}
          hint={texts.onlyRequestedAttributesHint}
        />
      )}
    </>
  );
}

function SecurityFields({ form }: { readonly form: Form<SettingsValues> }): JSX.Element {
  const texts = useTexts(samlTexts);
  return (
    <>
      <ChoiceField
        form={form}
        name="encryption"
        label={texts.encryption}
        options={(["0", "2", "1"] as const).map((value) => ({
          value,
          label: texts.encryptions[value],
          hint: texts.encryptionHints[value],
        }))}
      />
      <CheckField
        form={form}
        name="requireSignedRequests"
        label={texts.requireSignedRequests}
        hint={texts.requireSignedRequestsHint}
      />
    </>
  );
}
