import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { ChoiceField } from "../../../ui/form/choice-fields.tsx";
import { CheckField, TextField } from "../../../ui/form/fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import type { SharedValues } from "./provider.ts";
import { providerTexts } from "./texts.ts";

interface FieldsProps {
  readonly form: Form<SharedValues>;
}

/** The field for the name. */
export function NameField({
  form,
  hasFocus = false,
}: FieldsProps & { readonly hasFocus?: boolean }): JSX.Element {
  const texts = useTexts(providerTexts);
  return <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus={hasFocus} />;
}

/** The fields for what else identity providers of all kinds have. */
export function SignInFields({ form }: FieldsProps): JSX.Element {
  const texts = useTexts(providerTexts);
  return (
    <>
      <CheckField form={form} name="autoRegister" label={texts.autoRegister} hint={texts.autoRegisterHint} />
      <ChoiceField
        form={form}
        name="stylingType"
        label={texts.styling}
        options={(["0", "1"] as const).map((value) => ({ value, label: texts.stylings[value] }))}
      />
    </>
  );
}
