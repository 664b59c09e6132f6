import type { JSX } from "preact";
import { ApiAuthMethodType } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ChoiceField } from "../../../ui/form/choice-fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { apiTexts } from "./api-texts.ts";

/** The values of a form about an API; only a new one has a name among them. */
export type ApiValues = {
  readonly name: string;
  readonly authMethodType: string;
};

/** How an API authenticates. */
export function ApiMethodField({ form }: { readonly form: Form<ApiValues> }): JSX.Element {
  const { authMethodType: label, methods, methodHints } = useTexts(apiTexts);
  const { BASIC, PRIVATE_KEY_JWT } = ApiAuthMethodType;
  return (
    <ChoiceField
      form={form}
      name="authMethodType"
      label={label}
      options={[
        { value: String(BASIC), label: methods["1"], hint: methodHints["1"] },
        { value: String(PRIVATE_KEY_JWT), label: methods["2"], hint: methodHints["2"] },
      ]}
    />
  );
}
