import type { JSX } from "preact";
import { ApiAuthMethodType } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ChoiceField } from "../../../ui/form/choice-fields.tsx";
import { CheckField, TextField } from "../../../ui/form/fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { apiTexts } from "./api-texts.ts";
import { type ApiValues, findScopeFault, readScope } from "./api-values.ts";
import { ScopesField } from "./scopes-field.tsx";

/** Props of the fields of an API. */
export interface ApiFieldsProps {
  readonly form: Form<ApiValues>;
  /** Whether the user may take a resource as verified. */
  readonly mayVerify: boolean;
}

/** Returns a check of the scopes as a whole. */
export function useScopeCheck(): (values: ApiValues) => Record<string, string> {
  const texts = useTexts(apiTexts).scope;
  return ({ scopes }): Record<string, string> => {
    const fault = findScopeFault(scopes.map(readScope));
    return fault === undefined ? {} : { scopes: texts[fault] };
  };
}

/** How an API authenticates, how clients name it, and what they may ask for. */
export function ApiFields({ form, mayVerify }: ApiFieldsProps): JSX.Element {
  const texts = useTexts(apiTexts);
  const { methods, methodHints } = texts;
  const { BASIC, PRIVATE_KEY_JWT } = ApiAuthMethodType;
  const { resource } = form.values;
  return (
    <>
      <ChoiceField
        form={form}
        name="authMethodType"
        label={texts.authMethodType}
        options={[
          { value: String(BASIC), label: methods["1"], hint: methodHints["1"] },
          { value: String(PRIVATE_KEY_JWT), label: methods["2"], hint: methodHints["2"] },
        ]}
      />
      <TextField form={form} name="resource" label={texts.resource} hint={texts.resourceHint} />
      <CheckField form={form} name="devMode" label={texts.devMode} hint={texts.devModeHint} />
      {mayVerify && resource.startsWith("https:") && (
        <CheckField
          form={form}
          name="resourceVerified"
          label={texts.resourceVerified}
          hint={texts.resourceVerifiedHint}
        />
      )}
      <CheckField
        form={form}
        name="allowExternalClients"
        label={texts.allowExternalClients}
        hint={texts.allowExternalClientsHint}
      />
      <ScopesField form={form} />
    </>
  );
}
