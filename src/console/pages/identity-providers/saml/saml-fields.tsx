import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { CheckField, LongTextField, TextField } from "../../../ui/form/fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { NameField, SignInFields } from "../shared/shared-fields.tsx";
import { samlProviderTexts } from "./saml-texts.ts";
import type { SamlProviderValues } from "./saml-values.ts";

/** The fields of a SAML identity provider; `isNew`: it is not stored yet. */
export function SamlProviderFields({
  form,
  isNew = false,
}: {
  readonly form: Form<SamlProviderValues>;
  readonly isNew?: boolean;
}): JSX.Element {
  const texts = useTexts(samlProviderTexts);
  return (
    <>
      <NameField form={form} hasFocus={isNew} />
      <TextField form={form} name="saml.entityId" label={texts.entityId} hint={texts.entityIdHint} />
      <TextField
        form={form}
        name="saml.metadataUrl"
        type="url"
        label={texts.metadataUrl}
        hint={texts.metadataUrlHint}
      />
      <LongTextField
        form={form}
        name="saml.metadataXml"
        label={texts.metadataXml}
        hint={texts.metadataXmlHint}
      />
      <TextField form={form} name="saml.idAttribute" label={texts.idAttribute} hint={texts.idAttributeHint} />
      <CheckField form={form} name="saml.trustMail" label={texts.trustMail} hint={texts.trustMailHint} />
      <SignInFields form={form} />
    </>
  );
}
